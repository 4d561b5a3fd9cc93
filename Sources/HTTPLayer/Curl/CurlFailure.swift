internal import CCurl
internal import CurlShim

/// A result of libcurl as an error of this layer.
struct CurlFailure {
    /// The error, with libcurl's message.
    let error: HTTPError

    init(
        _ easy: UnsafeMutableRawPointer, _ code: CURLcode, _ message: UnsafePointer<CChar>
    ) {
        let reported = String(cString: message)
        let words = reported.isEmpty ? String(cString: curl_easy_strerror(code)) : reported
        func number(_ info: CURLINFO) -> Int {
            var value = 0
            _ = shim_easy_getinfo_long(easy, info, &value)
            return value
        }
        switch code {
        case CURLE_URL_MALFORMAT: error = .badURL(words)
        case CURLE_UNSUPPORTED_PROTOCOL:
            error = number(CURLINFO_REDIRECT_COUNT) > 0 ? .redirect(words) : .badURL(words)
        case CURLE_TOO_MANY_REDIRECTS: error = .redirect(words)
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_RESOLVE_PROXY: error = .resolve(words)
        case CURLE_COULDNT_CONNECT, CURLE_PROXY: error = .connect(words)
        case CURLE_OPERATION_TIMEDOUT: error = .timeout(words)
        case CURLE_SSL_CONNECT_ERROR, CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CERTPROBLEM,
            CURLE_SSL_CIPHER, CURLE_SSL_CACERT_BADFILE, CURLE_SSL_ISSUER_ERROR,
            CURLE_SSL_INVALIDCERTSTATUS:
            error = .tls(words)
        default:
            // A proxy that refuses a tunnel is not a connection failure.
            error = number(CURLINFO_HTTP_CONNECTCODE) >= 300 ? .connect(words) : .aborted(words)
        }
    }
}
