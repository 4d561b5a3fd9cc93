internal import NIOCore
internal import NIOSSL
internal import Platform

extension TLSFailure {
    /// Finds the cause in what NIO and NIOSSL reported.
    ///
    /// A reset connection reports a reset and then the end of the stream, and NIOSSL reports some
    /// errors twice: the most specific one counts.
    ///
    /// - Parameters:
    ///   - errors: Everything that went through the pipeline during the handshake, at least one.
    ///   - leg: The leg of the handshake.
    public init(_ errors: [any Error], on leg: Leg) {
        let causes = errors.map { Self.cause(of: $0, on: leg) }
        let best = causes.min { Self.rank($0) < Self.rank($1) } ?? .closed
        self.init(best, on: leg)
    }

    /// Finds the cause in one error of NIO or NIOSSL.
    public init(_ error: any Error, on leg: Leg) { self.init([error], on: leg) }

    /// Lower for more specific ones.
    private static func rank(_ cause: Cause) -> Int {
        switch cause {
        case .alert, .noSharedCipher, .noSharedVersion, .notTLS, .verification: 0
        case .timeout: 1
        case .reset: 2
        case .other: 3
        case .closed: 4
        }
    }

    /// The cause of one error.
    private static func cause(of error: any Error, on leg: Leg) -> Cause {
        switch error {
        case let error as TLSFailure: return error.cause
        case let error as IOError:
            switch error.errnoCode {
            case ECONNRESET, EPIPE, ECONNABORTED: return .reset
            case ETIMEDOUT: return .timeout
            default: return .other("\(error)")
            }
        case let error as ChannelError:
            switch error {
            case .connectTimeout: return .timeout
            case .eof, .ioOnClosedChannel, .alreadyClosed, .inputClosed, .outputClosed:
                return .closed
            default: return .other("\(error)")
            }
        case let error as NIOSSLExtraError:
            if error == .failedToValidateHostname || error == .serverHostnameImpossibleToMatch {
                return .verification(reason: hostname(error))
            }
            return .other("\(error)")
        case let error as NIOSSLError:
            switch error {
            case .handshakeFailed(let inner), .shutdownFailed(let inner):
                return cause(of: inner, on: leg)
            case .uncleanShutdown: return .closed
            case .unableToValidateCertificate:
                return .verification(reason: "it could not be validated")
            case .noCertificateToValidate:
                return .verification(reason: "the server sent none")
            default: return .other("\(error)")
            }
        case let error as BoringSSLError:
            switch error {
            case .zeroReturn, .syscallError: return .closed
            case .sslError(let stack), .unknownError(let stack): return cause(of: stack, on: leg)
            default: return .other("\(error)")
            }
        default: return .other("\(error)")
        }
    }

    /// The cause in BoringSSL's list of errors.
    private static func cause(of stack: [BoringSSLInternalError], on leg: Leg) -> Cause {
        for error in stack {
            if error == .eofDuringHandshake
                || error == .eofDuringAdditionalCertficiateChainValidation
            {
                return .closed
            }
            let text = error.description
            // A received alert is reason 1000 + its code: openssl/ssl.h, SSL_AD_REASON_OFFSET.
            if let number = number(in: text), number >> 24 == 16, 1000...1255 ~= number & 0xFFF,
                let code = UInt8(exactly: (number & 0xFFF) - 1000)
            {
                return .alert(code: code, name: name(alert: code))
            }
            switch reason(in: text) {
            // A client of TLS 1.2 that names no curves is reported as WRONG_CURVE.
            case "NO_SHARED_CIPHER", "NO_SHARED_GROUP", "NO_COMMON_SIGNATURE_ALGORITHMS",
                "NO_CIPHERS_AVAILABLE", "UNSUPPORTED_CERTIFICATE_TYPE", "WRONG_CIPHER_RETURNED",
                "WRONG_CURVE":
                return .noSharedCipher
            case "UNSUPPORTED_PROTOCOL", "NO_SUPPORTED_VERSIONS_ENABLED":
                return .noSharedVersion
            case "WRONG_VERSION_NUMBER", "HTTP_REQUEST", "HTTPS_PROXY_REQUEST",
                "UNEXPECTED_RECORD":
                return .notTLS
            case "CERTIFICATE_VERIFY_FAILED":
                return leg == .server
                    ? .verification(
                        reason: "it could not be verified")
                    : .verification(reason: "the client's certificate could not be verified")
            default: continue
            }
        }
        let reasons = stack.map { reason(in: $0.description) }.filter { !$0.isEmpty }
        return .other(reasons.isEmpty ? "unknown" : reasons.joined(separator: ", "))
    }

    /// The packed number in `Error: 268436504 error:10000418:SSL routines:…`.
    private static func number(in text: String) -> Int? {
        let words = text.split(separator: " ", maxSplits: 2)
        return words.count > 1 ? Int(words[1]) : nil
    }

    /// The reason in `… error:10000418:SSL routines:OPENSSL_internal:REASON at FILE:LINE`.
    private static func reason(in text: String) -> String {
        guard let range = text.utf8.firstIndex(of: UInt8(ascii: ":")) else { return text }
        let parts = text[range...].split(separator: ":")
        guard let last = parts.first(where: { $0.contains(" at ") }) else { return text }
        return last.split(separator: " ").first.map { String($0) } ?? text
    }

    /// The error of NIOSSL for a host name that is not in the certificate.
    private static func hostname(_ error: NIOSSLExtraError) -> String {
        guard let colon = error.description.firstIndex(of: ":") else {
            return "it is not for this host"
        }
        return String(error.description[colon...].dropFirst(2))
    }

    /// The name of an alert in RFC 8446, 6, or an older RFC.
    static func name(alert code: UInt8) -> String {
        switch code {
        case 0: "close_notify"
        case 10: "unexpected_message"
        case 20: "bad_record_mac"
        case 21: "decryption_failed"
        case 22: "record_overflow"
        case 30: "decompression_failure"
        case 40: "handshake_failure"
        case 41: "no_certificate"
        case 42: "bad_certificate"
        case 43: "unsupported_certificate"
        case 44: "certificate_revoked"
        case 45: "certificate_expired"
        case 46: "certificate_unknown"
        case 47: "illegal_parameter"
        case 48: "unknown_ca"
        case 49: "access_denied"
        case 50: "decode_error"
        case 51: "decrypt_error"
        case 60: "export_restriction"
        case 70: "protocol_version"
        case 71: "insufficient_security"
        case 80: "internal_error"
        case 86: "inappropriate_fallback"
        case 90: "user_canceled"
        case 100: "no_renegotiation"
        case 109: "missing_extension"
        case 110: "unsupported_extension"
        case 111: "certificate_unobtainable"
        case 112: "unrecognized_name"
        case 113: "bad_certificate_status_response"
        case 115: "unknown_psk_identity"
        case 116: "certificate_required"
        case 120: "no_application_protocol"
        case 121: "ech_required"
        default: "unknown"
        }
    }
}
