/// Why a request target or an authority could not be read.
///
/// Offsets are in bytes from the start of what was given.
public enum HTTPTargetError: Error, Hashable, Sendable {
    /// There is nothing.
    case empty
    /// The target is in none of the four forms.
    case form
    /// The scheme has no default port, and the authority states none.
    case scheme(String)
    /// The host is missing or has a byte at `offset` that no host has.
    case host(offset: Int)
    /// The port at `offset` is missing where it is needed, no number, or above 65535.
    case port(offset: Int)
}

extension HTTPTargetError: CustomStringConvertible {
    /// The error, as text.
    public var description: String {
        switch self {
        case .empty: "the request target is empty"
        case .form: "the request target is neither a path, a URL, HOST:PORT nor *"
        case .scheme(let scheme): "the scheme \(scheme) has no default port"
        case .host(let offset): "no valid host at byte \(offset) of the target"
        case .port(let offset): "no valid port at byte \(offset) of the target"
        }
    }
}
