/// Hashes that cipher suites of TLS 1.2 and 1.3 are built on.
enum TLSHash: Hashable, Sendable {
    case sha1
    case sha256
    case sha384

    /// Bytes of a hash.
    var count: Int {
        switch self {
        case .sha1: 20
        case .sha256: 32
        case .sha384: 48
        }
    }
}
