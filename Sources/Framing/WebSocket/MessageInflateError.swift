/// Why a compressed message could not be inflated.
public enum MessageInflateError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The compressed data is invalid after `produced` bytes of output; `reason` is zlib's.
    case invalid(reason: String, produced: Int64)
    /// The compressed data ends inside a block, after `produced` bytes of output.
    case truncated(produced: Int64)
    /// There is more output than the `limit` allows, in bytes.
    case tooLarge(limit: Int64)
    /// There is no memory for the inflater.
    case noMemory

    /// What happened, as text.
    public var description: String {
        switch self {
        case .invalid(let reason, let produced):
            "cannot be inflated after \(produced) bytes of output: \(reason)"
        case .truncated(let produced):
            "the compressed data ends inside a block, after \(produced) bytes of output"
        case .tooLarge(let limit): "inflates to more than \(limit) bytes"
        case .noMemory: "no memory to inflate it"
        }
    }
}
