import Base
import CYAML

/// One step of libyaml's event parser, with what this reader needs of it.
struct YAMLEvent {
    enum Kind {
        case streamStart
        case streamEnd
        case documentStart(hasTags: Bool)
        case documentEnd
        case alias
        case scalar(String, isPlain: Bool)
        case listStart
        case listEnd
        case mapStart
        case mapEnd
    }

    let kind: Kind
    let start: ConfigPlace
    /// Characters (not bytes) from the start of the file to the end of the event.
    let endCharacter: Int
    let hasAnchor: Bool
    let hasTag: Bool
}

/// libyaml's parser over bytes that outlive it.
struct EventReader: ~Copyable {
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let bytes: UnsafeBufferPointer<UInt8>

    init(_ bytes: UnsafeBufferPointer<UInt8>) throws(YAMLError) {
        self.bytes = bytes
        parser = .allocate(capacity: 1)
        guard yaml_parser_initialize(parser) == 1 else {
            parser.deallocate()
            throw YAMLError("out of memory")
        }
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, bytes.baseAddress, bytes.count)
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
    }

    func next() throws(YAMLError) -> YAMLEvent {
        var event = yaml_event_t()
        guard yaml_parser_parse(parser, &event) == 1 else { throw failure }
        defer { yaml_event_delete(&event) }
        return YAMLEvent(event)
    }

    private var failure: YAMLError {
        let state = parser.pointee
        guard state.error != YAML_MEMORY_ERROR, let problem = state.problem else { return YAMLError("out of memory") }
        let words = String(cString: problem)
        // The reader's faults come with the number of a byte instead of a place.
        if state.error == YAML_READER_ERROR {
            return .readerProblem(words, at: ConfigPlace(ofByte: state.problem_offset, in: bytes))
        }
        return .parserProblem(
            words, noticed: ConfigPlace(state.problem_mark),
            context: state.context.map { String(cString: $0) } ?? "", opened: ConfigPlace(state.context_mark))
    }
}

extension ConfigPlace {
    fileprivate init(_ mark: yaml_mark_t) {
        self.init(line: Int(mark.line) + 1, column: Int(mark.column) + 1)
    }

    fileprivate init(ofByte number: Int, in bytes: UnsafeBufferPointer<UInt8>) {
        let before = bytes.prefix(number)
        let lineStart = before.lastIndex(of: 0x0A).map { $0 + 1 } ?? 0
        // Continuation bytes belong to the character before them.
        let characters = before[lineStart...].count { $0 & 0xC0 != 0x80 }
        self.init(line: before.count { $0 == 0x0A } + 1, column: characters + 1)
    }
}

extension YAMLEvent {
    fileprivate init(_ event: yaml_event_t) {
        var hasAnchor = false
        var hasTag = false
        switch event.type {
        case YAML_STREAM_START_EVENT: kind = .streamStart
        case YAML_DOCUMENT_START_EVENT:
            let tags = event.data.document_start.tag_directives
            kind = .documentStart(hasTags: tags.start != tags.end)
        case YAML_DOCUMENT_END_EVENT: kind = .documentEnd
        case YAML_ALIAS_EVENT: kind = .alias
        case YAML_SCALAR_EVENT:
            let scalar = event.data.scalar
            let text = String(decoding: UnsafeBufferPointer(start: scalar.value, count: scalar.length), as: UTF8.self)
            kind = .scalar(text, isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE)
            hasAnchor = scalar.anchor != nil
            hasTag = scalar.tag != nil
        case YAML_SEQUENCE_START_EVENT:
            kind = .listStart
            hasAnchor = event.data.sequence_start.anchor != nil
            hasTag = event.data.sequence_start.tag != nil
        case YAML_SEQUENCE_END_EVENT: kind = .listEnd
        case YAML_MAPPING_START_EVENT:
            kind = .mapStart
            hasAnchor = event.data.mapping_start.anchor != nil
            hasTag = event.data.mapping_start.tag != nil
        case YAML_MAPPING_END_EVENT: kind = .mapEnd
        default: kind = .streamEnd
        }
        start = ConfigPlace(event.start_mark)
        endCharacter = event.end_mark.index
        self.hasAnchor = hasAnchor
        self.hasTag = hasTag
    }
}
