public import Wire

/// What an add-on decides about an event.
public enum AddonVerdict: Hashable, Sendable {
    /// It goes on unchanged.
    case pass
    /// It does not go on: a message is removed, a request stays without an answer.
    case drop
    /// It goes on later.
    case delay(nanoseconds: Int64)
    /// It goes on changed.
    case edit(AddonEdit)
    /// The client gets this answer, and the server never the request.
    case answer(AddonEdit)

    /// Its name in the protocol.
    public var name: String {
        switch self {
        case .pass: "pass"
        case .drop: "drop"
        case .delay: "delay"
        case .edit: "edit"
        case .answer: "answer"
        }
    }

    /// Whether it goes with events of this kind.
    func isApplicable(to kind: AddonEventKind) -> Bool {
        switch self {
        case .pass: true
        case .drop, .delay: kind != .connection
        case .edit(let edit): edit.isApplicable(to: kind)
        case .answer: kind == .request
        }
    }
}

/// What comes beside a verdict, as often as wanted.
public enum AddonAside: Hashable, Sendable {
    /// One more message or command for a peer, after the event.
    case send([UInt8], to: Peer)
    /// A mark in the trace.
    case mark(String)
    /// A note in the trace.
    case note(String)

    /// Its name in the protocol.
    public var name: String {
        switch self {
        case .send: "send"
        case .mark: "mark"
        case .note: "note"
        }
    }
}

/// What is changed, or what an answer is made of.
public struct AddonEdit: Hashable, Sendable {
    /// The payload, the text of the command or the body; nil leaves it.
    public var content: [UInt8]?
    /// The status of a response; nil leaves it.
    public var status: Int?
    /// The path with query of a request; nil leaves it.
    public var path: String?
    /// Header fields to be set or removed.
    public var fields: [AddonField]

    /// An edit with these values.
    public init(
        content: [UInt8]? = nil, status: Int? = nil, path: String? = nil, fields: [AddonField] = []
    ) {
        self.content = content
        self.status = status
        self.path = path
        self.fields = fields
    }

    /// Whether such an edit goes with events of this kind.
    func isApplicable(to kind: AddonEventKind) -> Bool {
        switch kind {
        case .request: status == nil
        case .response: path == nil
        case .message, .command: status == nil && path == nil && fields.isEmpty && content != nil
        case .connection: false
        }
    }
}

/// A header field to be set, or to be removed.
public struct AddonField: Hashable, Sendable {
    /// The name.
    public var name: String
    /// The value that replaces all of that name; nil to remove them.
    public var value: String?

    /// A field of this name.
    public init(name: String, value: String?) {
        self.name = name
        self.value = value
    }

    /// Whether a text is a name of RFC 9110.
    static func isName(_ text: String) -> Bool {
        !text.isEmpty && text.utf8.count <= 256
            && text.utf8.allSatisfy { byte in
                switch byte {
                case 0x30...0x39, 0x41...0x5A, 0x61...0x7A: true
                default: "!#$%&'*+-.^_`|~".utf8.contains(byte)
                }
            }
    }

    /// Whether a text may be a value.
    static func isValue(_ text: String) -> Bool {
        text.utf8.count <= 65_536
            && text.utf8.allSatisfy { $0 == 0x09 || $0 >= 0x20 && $0 != 0x7F }
    }
}
