import Base
import YAML

/// The config file: a tree with places, or one error with a place and no value of the file in it.
@_cdecl("LLVMFuzzerTestOneInput") public func fuzz(_ data: UnsafePointer<UInt8>?, _ size: Int) -> CInt {
    _ = try? YAMLReader.parse(Input(data, size).bytes)
    return 0
}
