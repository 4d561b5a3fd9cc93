/// Why a request cannot be made.
public enum RequestError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A retry count outside 0...15.
    case retryCount(Int)

    /// What to do, in one sentence.
    public var description: String {
        switch self {
        case .retryCount(let count): "retry count \(count): give one from 0 to 15"
        }
    }
}
