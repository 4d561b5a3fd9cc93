internal import NIOSSL

/// The oldest version of TLS that is used.
public enum OldestTLS: String, Hashable, Sendable, CaseIterable {
    /// TLS 1.0, which nobody should use any more.
    case tls10 = "1.0"
    /// TLS 1.1, which nobody should use any more.
    case tls11 = "1.1"
    /// TLS 1.2.
    case tls12 = "1.2"
    /// TLS 1.3.
    case tls13 = "1.3"

    /// The same for the TLS library.
    var version: TLSVersion {
        switch self {
        case .tls10: .tlsv1
        case .tls11: .tlsv11
        case .tls12: .tlsv12
        case .tls13: .tlsv13
        }
    }
}
