/// What a change does to its object (`o`).
public enum ChangeOperation: Hashable, Sendable {
    /// `M`: it is changed or created.
    case modify
    /// `-`: it is removed.
    case remove
    /// `EMPTY`: all objects of the bucket are removed; the key is the bucket's name.
    case empty
    /// Anything else, as sent.
    case other(String)

    /// As on the wire.
    public var text: String {
        switch self {
        case .modify: "M"
        case .remove: "-"
        case .empty: "EMPTY"
        case .other(let text): text
        }
    }

    /// The operation of `text`.
    public init(_ text: String) {
        switch text {
        case "M": self = .modify
        case "-": self = .remove
        case "EMPTY": self = .empty
        default: self = .other(text)
        }
    }
}
