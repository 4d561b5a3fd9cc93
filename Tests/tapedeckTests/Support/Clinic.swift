import Wire

/// What a few devices and a CommCare server say to each other, right and wrong, by a seed.
///
/// Devices either sync from their token, and then no case refers to another: what they purge is
/// what was closed. Or they always ask for everything.
struct Clinic {
    private let trace: SmallTrace
    private let asksForChanges: Bool
    private var dice: Dice
    private var number = 0
    private var tokens: [String: String] = [:]
    private var sent: [String: [(instance: String, blocks: String)]] = [:]
    /// Cases that somebody closed; nobody opens them again.
    private var closed: Set<String> = []

    init(_ trace: SmallTrace, seed: UInt64) {
        self.trace = trace
        asksForChanges = seed % 2 == 1
        dice = Dice(state: seed)
    }

    /// One exchange of some device.
    mutating func step() {
        number += 1
        let device = "d\(Int.random(in: 1...3, using: &dice))"
        if chance(of: 3) { restore(device) } else { submit(device) }
    }

    private mutating func chance(of sides: Int) -> Bool {
        Int.random(in: 0..<sides, using: &dice) == 0
    }

    private mutating func pick(_ words: [String]) -> String {
        words[Int.random(in: words.indices, using: &dice)]
    }

    // MARK: Exchanges

    private mutating func restore(_ device: String) {
        let since = asksForChanges && !chance(of: 4) ? tokens[device] : nil
        let line =
            "GET /a/demo/phone/restore/?version=2.0&device_id=\(device)"
            + (since.map { "&since=\($0)" } ?? "")
        if chance(of: 6) {
            let nature = pick(["ota_restore_pending", "ota_restore_error"])
            answer(line, status: chance(of: 2) ? 200 : 202, Self.response(nature))
            return
        }
        var body =
            "<Sync xmlns=\"http://commcarehq.org/sync\"><restore_id>t\(number)</restore_id></Sync>"
        for _ in 0..<Int.random(in: 0...4, using: &dice) { body += block(creates: !chance(of: 5)) }
        body = Self.response("ota_restore_success", body)
        if chance(of: 8) {
            // Cut on its way.
            let kept = body.utf8.prefix(Int.random(in: 0..<body.utf8.count, using: &dice))
            let id = trace.open()
            trace.send(id, .client, "\(line) HTTP/1.1\nHost: example.org\n\n")
            trace.send(
                id, .server,
                "HTTP/1.1 200 OK\nContent-Type: text/xml\nContent-Length: \(body.utf8.count)\n\n")
            trace.send(id, .server, Array(kept))
            trace.end(id, .server)
            return
        }
        let isLost = chance(of: 8)
        answer(line, status: isLost ? 500 : 200, body)
        if !isLost { tokens[device] = "t\(number)" }
    }

    private mutating func submit(_ device: String) {
        var form: (instance: String, blocks: String) = ("f\(number)", "")
        if chance(of: 4), let old = sent[device]?.randomElement(using: &dice) {
            form = old
        } else {
            for _ in 0..<Int.random(in: 0...3, using: &dice) {
                form.blocks += block(creates: chance(of: 2))
            }
            sent[device, default: []].append(form)
        }
        let line = "POST /a/demo/receiver/?device_id=\(device)"
        let body = """
            <data xmlns="http://example.org/f"><q><case>asked</case></q>\(form.blocks)\
            <meta><instanceID>\(form.instance)</instanceID></meta></data>
            """
        switch Int.random(in: 0..<8, using: &dice) {
        case 0: answer(line, body, status: 500, "")
        case 1: answer(line, body, status: 201, Self.response("submit_error"))
        case 2: answer(line, body, status: 201, Self.response("post_processing_failure"))
        case 3: answer(line, body, status: 201, Self.response("submit_success"), isLocal: true)
        case 4:
            let id = trace.open()
            trace.send(
                id, .client,
                "\(line) HTTP/1.1\nHost: example.org\nContent-Length: \(body.utf8.count)\n\n")
            trace.send(id, .client, Array(body.utf8))
            trace.end(id, .server)
        default: answer(line, body, status: 201, Self.response("submit_success"))
        }
    }

    private func answer(
        _ line: String, _ body: String = "", status: Int, _ answer: String, isLocal: Bool = false
    ) {
        trace.exchange(
            trace.open(), line, body: body, status: status, answer: answer, type: "text/xml",
            isLocal: isLocal)
    }

    private static func response(_ nature: String, _ more: String = "") -> String {
        """
        <OpenRosaResponse xmlns="http://openrosa.org/http/response">\
        <message nature="\(nature)">says</message>\(more)</OpenRosaResponse>
        """
    }

    // MARK: Cases

    private mutating func block(creates: Bool) -> String {
        let id = pick(["c1", "c2", "c3", "c4", "ç5"])
        var inside = ""
        if creates, !closed.contains(id) {
            let owner = chance(of: 2) ? "<owner_id>\(pick(["o1", "o2"]))</owner_id>" : ""
            inside += "<create><case_type>\(pick(["a", "b"]))</case_type>"
            inside += "<case_name>\(pick(["Zoë", "", "n\(number)"]))</case_name>\(owner)</create>"
        }
        if chance(of: 2) {
            let name = pick(["case_name", "owner_id", "case_type", "age"])
            inside += "<update><\(name)>\(pick(["x", "y", "z\(number)"]))</\(name)></update>"
        }
        if !asksForChanges, chance(of: 2) {
            let relationship = pick(["", " relationship=\"extension\"", " relationship=\"\""])
            let target = pick(["c1", "c2", "", id])
            let name = pick(["parent", "host"])
            inside += "<index><\(name) case_type=\"a\"\(relationship)>\(target)</\(name)></index>"
        }
        if chance(of: 9) {
            closed.insert(id)
            inside += "<close/>"
        }
        let user = chance(of: 4) ? "" : " user_id=\"u\(number % 3)\""
        return """
            <case xmlns="http://commcarehq.org/case/transaction/v2" case_id="\(id)"\(user) \
            date_modified="2026-11-21T17:\(10 + number % 50):00Z">\(inside)</case>
            """
    }
}

/// A small generator with a seed, the same on every machine.
private struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ mixed >> 30) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ mixed >> 27) &* 0x94D0_49BB_1331_11EB
        return mixed ^ mixed >> 31
    }
}
