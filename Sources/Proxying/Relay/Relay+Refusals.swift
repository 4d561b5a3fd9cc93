import Framing
import OpenRosa
import Wire

extension Relay {
    /// Answers a client that is not served, whatever it requests; these are its bytes so far.
    mutating func refuse(
        _ refusal: Refusal, _ bytes: [UInt8], _ at: Instant, _ commands: inout [RelayCommand]
    ) {
        record(.warning, leg: clientLeg.id, at: at, detail: refusal.detail, &commands)
        if !bytes.isEmpty {
            recordKept(
                HeldBytes(bytes[...], at: at), leg: clientLeg.id, sender: .client, &commands)
        }
        guard bytes.first.map(StartOfStream.isTLS) != true else {
            // An answer could only be read after a handshake, which needs what there is too little of.
            phase = .closed
            commands.append(.close(clientLeg.id, isReset: false))
            return
        }
        refuse(
            refusal.status, refusal.phrase, "tapedeck: \(refusal.detail)", at, &commands)
    }

    /// Answers in the server's name, in the order of requests, and closes, since what follows is
    /// unreliable.
    ///
    /// With the requested version of OpenRosa, the answer has that protocol's fields: clients
    /// reject one without them before they see its status.
    mutating func refuse(
        _ status: Int, _ reason: String, _ text: String, openRosa version: String? = nil,
        _ at: Instant, _ commands: inout [RelayCommand]
    ) {
        let own =
            version.map {
                OpenRosaFields.answer(to: $0, unixSeconds: settings.clock.unixSeconds(at: at))
                    .map { "\($0.name): \($0.value)\r\n" }.joined()
            } ?? "Date: \(settings.clock.date(at: at))\r\n"
        answer(
            status, reason, type: "text/plain; charset=utf-8", Array((text + "\n").utf8),
            fields: own, at, &commands)
    }

    /// Answers with this content and closes; each of `fields` ends with CRLF.
    mutating func answer(
        _ status: Int, _ reason: String, type: String, _ content: [UInt8], fields: String,
        _ at: Instant, _ commands: inout [RelayCommand]
    ) {
        let head = """
            HTTP/1.1 \(status) \(reason)\r
            \(fields)Content-Type: \(type)\r
            Content-Length: \(content.count)\r
            \(status == 503 ? "Retry-After: 10\r\n" : "")Connection: close\r
            \r

            """
        let bytes = Array(head.utf8) + content
        phase = .refusing
        outstanding.append(
            RelayRequest(
                leg: clientLeg.id, kind: .other, proxyName: "",
                local: LocalAnswer(bytes: bytes, closes: true)))
        giveLocalAnswers(at, &commands)
    }
}
