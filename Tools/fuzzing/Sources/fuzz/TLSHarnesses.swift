internal import Interception

extension Harness {
    static let tls: [Harness] = [hello, alert]

    /// Reads a client's first message, and what comes before it is complete.
    private static let hello = Harness(name: "client-hello", longest: 2048) { bytes in
        let whole = ClientHello.parse(bytes.span)
        switch whole {
        case .hello(let hello): _ = hello.detail
        case .malformed(let offset, let reason):
            demand((0...bytes.count).contains(offset), "\(reason) is inside the stream")
        case .needMore, .notTLS: break
        }
        // Only where more is needed, more can change the answer.
        var dice = Dice(bytes)
        for _ in 0..<8 {
            let count = Int(dice.next() % UInt64(bytes.count + 1))
            let part = ClientHello.parse(bytes.span.extracting(..<count))
            demand(part == .needMore || part == whole, "a part says nothing else: \(count) bytes")
        }
    }

    /// Looks for an alert whole and in pieces.
    private static let alert = Harness(name: "plain-alert", longest: 1024) { bytes in
        var whole = PlainAlert()
        whole.consume(bytes.span)
        var dice = Dice(bytes)
        var pieces = PlainAlert()
        for piece in dice.cut(bytes.count) { pieces.consume(bytes.span.extracting(piece)) }
        demand(whole.code == pieces.code, "cuts change nothing of an alert")
    }
}
