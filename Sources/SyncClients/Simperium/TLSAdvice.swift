internal import NIOSSL

/// The messages for TLS failures, with the correction.
enum TLSAdvice {
    /// Why a handshake failed; nil where the error is none of TLS.
    static func detail(_ error: any Error) -> String? {
        switch error {
        case let error as NIOSSLExtraError: "TLS: \(error)"
        case let error as NIOSSLError:
            switch error {
            case .handshakeFailed(let inner), .shutdownFailed(let inner): detail(inner)
            case .uncleanShutdown: "the server closed the connection amid TLS"
            case .noCertificateToValidate: "the server shows no certificate"
            default: "TLS: \(error)"
            }
        case let error as BoringSSLError:
            switch error {
            case .sslError(let stack), .unknownError(let stack):
                detail(stack.map { reason(in: $0.description) })
            case .zeroReturn, .syscallError: "the server closed the connection amid the handshake"
            default: "TLS: \(error)"
            }
        default: nil
        }
    }

    private static func detail(_ reasons: [String]) -> String {
        for reason in reasons {
            switch reason {
            case "WRONG_VERSION_NUMBER", "HTTP_REQUEST", "UNEXPECTED_RECORD":
                return "the server does not speak TLS; use ws or http in --to"
            case "UNSUPPORTED_PROTOCOL", "TLSV1_ALERT_PROTOCOL_VERSION":
                return "the server and the client share no version of TLS; 1.2 is the oldest"
            default: continue
            }
        }
        return "TLS: \(reasons.joined(separator: ", "))"
    }

    /// The reason in `… error:10000418:SSL routines:OPENSSL_internal:REASON at FILE:LINE`.
    private static func reason(in text: String) -> String {
        let part = text.split(separator: ":").first { $0.contains(" at ") }
        return part?.split(separator: " ").first.map { String($0) } ?? text
    }
}
