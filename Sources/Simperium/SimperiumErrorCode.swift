/// What the error codes of changes mean.
///
/// Source: Simperium/Specification.md#errors; 417 and 503 as in the clients for iOS.
public enum SimperiumErrorCode {
    /// The meaning of `code` as text; `unknown error` where it has none.
    public static func detail(_ code: Int) -> String {
        switch code {
        case 400: "invalid id or schema"
        case 401: "no permission"
        case 404: "object or version not found"
        case 405: "bad version"
        case 409: "duplicate change"
        case 412: "empty change"
        case 413: "document too large"
        case 417: "a referenced object is missing"
        case 440: "invalid diff"
        case 503: "too many changes pending"
        case 500...599: "internal server error"
        default: "unknown error"
        }
    }
}
