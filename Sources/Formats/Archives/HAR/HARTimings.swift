internal import Notation
internal import Wire

/// The times of an entry, each in nanoseconds, at most a year, and 0 where it does not apply.
struct HARTimings {
    /// From `startedDateTime` to the first byte of the request: queue, name and connection.
    let before: Int64
    /// To the last byte of the request.
    let send: Int64
    /// To the first byte of the response.
    let wait: Int64
    /// To the last byte of the response.
    let receive: Int64

    /// The times of an entry; without `timings` all of its `time` is spent waiting.
    init(_ entry: JSONDocument.Node) {
        let timings = entry["timings"]
        func time(_ name: String) -> Int64 { HARNumber.duration(timings?[name]) ?? 0 }
        let total = HARNumber.duration(entry["time"]) ?? 0
        // The time of TLS is part of `connect`.
        before = time("blocked") + time("dns") + time("connect")
        send = time("send")
        let isReported = before + send + time("wait") + time("receive") > 0
        wait = isReported ? time("wait") : total
        receive = time("receive")
    }
}
