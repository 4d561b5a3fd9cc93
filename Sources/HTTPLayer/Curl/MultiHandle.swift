internal import CCurl

/// libcurl's multi handle, as far as threads share it.
///
/// Safety: libcurl lets any thread call `curl_multi_wakeup` while another one uses the handle. All
/// else is done by the thread of the ``TransferLoop``, which also frees it, after it took it from
/// where others find it.
struct MultiHandle: @unchecked Sendable {
    let pointer: UnsafeMutableRawPointer

    /// Ends the wait of the thread that uses it.
    func wake() { curl_multi_wakeup(pointer) }
}
