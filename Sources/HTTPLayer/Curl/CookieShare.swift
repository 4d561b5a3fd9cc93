internal import CCurl
internal import CurlShim

/// The cookies that servers set, which the transfers of one thread send back to them.
///
/// libcurl decides for which hosts a cookie is, and for how long (RFC 6265). It gets no locks,
/// which are needed only for sharing among threads.
final class CookieShare {
    /// libcurl's handle.
    let pointer: UnsafeMutableRawPointer

    /// No cookies yet; nil without memory.
    init?() {
        guard let pointer = curl_share_init() else { return nil }
        guard shim_share_cookies(pointer) == CURLSHE_OK else {
            curl_share_cleanup(pointer)
            return nil
        }
        self.pointer = pointer
    }

    deinit { curl_share_cleanup(pointer) }
}
