/// What text from strangers must not bring along. Each place decides what it does with such a scalar: the log writes its number,
/// a title goes without it.
extension Unicode.Scalar {
    /// A control character (C0, DEL, C1) or a separator of lines: what ends a line or commands a terminal.
    public var isControl: Bool {
        switch value {
        case 0..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: true
        default: false
        }
    }

    /// Seen by nobody, or turns the direction of what stands beside it.
    public var isHidden: Bool { isHiddenScalar(value) }
}

/// Text of others' making for a terminal: nothing that commands it, breaks a line or turns it.
public func printable(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.filter { !$0.isControl && !$0.isHidden }))
}

/// Whether nobody sees the scalar of this number by itself (Default_Ignorable_Code_Point in Unicode's DerivedCoreProperties), or it
/// turns the direction of others (UAX #9, section 2). U+200C, U+200D and the selectors of variants are none of these: Persian and
/// emoji can't be written without.
public func isHiddenScalar(_ value: UInt32) -> Bool {
    switch value {
    case ..<0xAD: false
    case 0xAD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180B...0x180F: true
    case 0x200B, 0x200E, 0x200F, 0x202A...0x202E, 0x2060...0x206F, 0x3164: true
    case 0xFEFF, 0xFFA0, 0xFFF0...0xFFFB, 0x1BCA0...0x1BCA3, 0x1D173...0x1D17A, 0xE0000...0xE0FFF: true
    default: false
    }
}
