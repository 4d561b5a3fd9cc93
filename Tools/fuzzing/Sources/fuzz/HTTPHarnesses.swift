internal import Framing

extension Harness {
    static let http: [Harness] = [
        Harness(name: "http-request") { frame(.request, $0) },
        Harness(name: "http-response") { frame(.response, $0) },
        fields, multipart,
    ]

    /// Frames one direction whole and in pieces; the first byte chooses what surrounds it.
    private static func frame(_ role: HTTPRole, _ bytes: [UInt8]) {
        var input = Input(bytes)
        let setting = HTTPSetting(role: role, choice: input.choice())
        let stream = input.bytes
        var dice = Dice(bytes)
        let whole = HTTPLines.read(stream, [0..<stream.count], setting)
        demandSame(
            whole, HTTPLines.read(stream, dice.cut(stream.count), setting),
            "cuts change nothing of HTTP")
        // A copy, so that what follows is as it was without it.
        var chance = dice
        let other = HTTPSetting(role: role, choice: UInt8(chance.next() & 0xFF))
        again(stream, setting, other, whole)
        skip(stream, setting, &dice)
        search(stream, setting, &dice)
    }

    /// Frames what came before, in another setting and in this one.
    private static func again(
        _ stream: [UInt8], _ setting: HTTPSetting, _ other: HTTPSetting,
        _ whole: [Lines<HTTPHead>.Line]
    ) {
        let known = HTTPKnownHeads()
        _ = HTTPLines.read(stream, [0..<stream.count], other, known: known)
        for _ in 0..<2 {
            demandSame(
                whole, HTTPLines.read(stream, [0..<stream.count], setting, known: known),
                "what came before changes nothing of HTTP")
        }
    }

    /// Passes over bytes that are there, which may change nothing but what is content.
    private static func skip(_ stream: [UInt8], _ setting: HTTPSetting, _ dice: inout Dice) {
        let start = Int(dice.next() % UInt64(stream.count + 1))
        let count = Int(dice.next() % UInt64(stream.count - start + 1))
        demandSame(
            HTTPLines.read(stream, skipping: start..<start + count, setting),
            HTTPLines.read(stream, skipping: start..<start, setting),
            "what is passed over changes nothing else of HTTP")
    }

    /// Looks for a start line whole and in pieces.
    private static func search(_ stream: [UInt8], _ setting: HTTPSetting, _ dice: inout Dice) {
        let missing = Int64(bitPattern: dice.next())
        func heads(_ pieces: [Range<Int>]) -> [HTTPHead] {
            var framer = HTTPFramer(role: setting.role, limits: setting.limits)
            framer.lose(missing)
            var found: [HTTPHead] = []
            for piece in pieces {
                var start = piece.lowerBound
                while start < piece.upperBound {
                    var events: [HTTPEvent] = []
                    start += framer.consume(
                        stream.span.extracting(start..<piece.upperBound), into: &events)
                    for case .head(let head, _) in events { found.append(head) }
                    if framer.isPaused { framer.resume(setting.resumption) }
                }
            }
            return found
        }
        demandSame(
            heads([0..<stream.count]), heads(dice.cut(stream.count)),
            "cuts change nothing of what is found")
    }

    /// Reads what stands in fields and targets.
    private static let fields = Harness(name: "fields", longest: 1024) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        let value = ParameterizedValue.parse(text)
        _ = value["boundary"]
        for item in WebSocketExtension.parse([text, text]) {
            demand(item.parameters.count <= bytes.count, "parameters take bytes")
        }
        _ = PerMessageDeflate.negotiated(responseExtensions: [text])
        if let accepted = PerMessageDeflate.accepting(requestExtensions: [text]) {
            let again = PerMessageDeflate.negotiated(responseExtensions: [accepted.fieldValue])
            demand(again?.problem == nil, "what is accepted can be negotiated")
            demand(
                (8...15).contains(accepted.clientMaxWindowBits)
                    && (8...15).contains(accepted.serverMaxWindowBits), "windows have sizes")
        }
        _ = try? ContentCoding.parse(text)
        for method in ["GET", "CONNECT", "OPTIONS"] {
            guard let target = try? HTTPTarget.parse(bytes.span, method: method),
                let authority = target.authority
            else { continue }
            demand((0...65_535).contains(authority.port), "a port is a port")
            let again = try? HTTPAuthority.parse("\(authority)", defaultPort: nil)
            demand(again == authority, "\(authority) written and read again is the same")
        }
    }

    /// Finds the parts of a body whole and in pieces.
    private static let multipart = Harness(name: "multipart") { bytes in
        var dice = Dice(bytes)
        for limits in [MultipartLimits(), MultipartLimits(maxHeadBytes: 60, maxParts: 3)] {
            let whole = MultipartLines.read(bytes, [0..<bytes.count], limits)
            demandSame(
                whole, MultipartLines.read(bytes, dice.cut(bytes.count), limits),
                "cuts change nothing of a body")
        }
    }
}
