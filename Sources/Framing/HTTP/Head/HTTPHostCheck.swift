/// Compares the values in a request for its server.
enum HTTPHostCheck {
    /// Notes a missing, repeated or contradicting `Host` (RFC 9112, 3.2 and 3.2.2).
    static func run(
        _ head: HTTPHead, _ landmarks: HTTPLandmarks, notes: inout HTTPNoteList
    ) {
        let span = head.bytes.span
        guard landmarks.hosts > 0 else {
            if span.isEqual(head.versionRange, to: "HTTP/1.1") {
                notes.add(.noHost, head.targetRange.lowerBound)
            }
            return
        }
        if landmarks.hosts > 1 { notes.add(.twoHosts, head.fields[landmarks.host].line.lowerBound) }
        guard let first = head.targetRange.first, span[first] != 0x2F, span[first] != 0x2A,
            HTTPRequestKind(head) == .other || HTTPRequestKind(head) == .head
        else { return }
        let host = head.fields[landmarks.host].value
        // A target that cannot be parsed has no host.
        guard let target = try? head.parsedTarget(), let authority = target.authority else {
            return
        }
        let named = try? HTTPAuthority.parse(span.extracting(host), defaultPort: target.defaultPort)
        if named != authority { notes.add(.hostDiffers, host.lowerBound) }
    }
}
