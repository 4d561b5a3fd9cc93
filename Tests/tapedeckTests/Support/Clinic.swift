import Notation
import Wire

@testable import TraceWorld

/// What a few devices and a CommCare server say to each other, right and wrong, by a seed.
///
/// Two people share one of the devices.
struct Clinic {
    /// How devices sync.
    private enum Habit: UInt64 {
        /// They always ask for everything.
        case everything
        /// From their token. No case refers to another: what they purge is what was closed.
        case changes
        /// For everything, and once from their token, with what belongs to their groups.
        case purge
    }

    /// Who asks.
    private struct Person: Hashable {
        var device: String
        var name: String?
    }

    private struct Form {
        var instance: String
        var blocks = ""
        /// The cases that it creates.
        var created: Set<String> = []
    }

    private let trace: SmallTrace
    private let habit: Habit
    private var dice: SplitMix64
    private var number = 0
    private var tokens: [Person: String] = [:]
    private var sent: [Person: [Form]] = [:]
    /// Who synced from a token.
    private var synced: Set<Person> = []
    /// Cases that somebody closed; nobody opens them again.
    private var closed: Set<String> = []

    init(_ trace: SmallTrace, seed: UInt64) {
        self.trace = trace
        habit = Habit(rawValue: seed % 3) ?? .everything
        dice = SplitMix64(seed: seed)
    }

    /// One exchange of some device.
    mutating func step() {
        number += 1
        var person = Person(device: "d\(Int.random(in: 1...3, using: &dice))", name: nil)
        if person.device == "d3" { person.name = pick(["ada", "bert"]) }
        if chance(of: 3) { restore(person) } else { submit(person) }
    }

    /// The parameters of a query that say who asks; who has a device alone does not always say so.
    private mutating func signature(_ person: Person) -> String {
        var text = "device_id=\(person.device)"
        if let name = person.name {
            text += "&as=\(name)"
        } else if person.device == "d2", chance(of: 2) {
            text += "&as=carla"
        }
        return text
    }

    private mutating func chance(of sides: Int) -> Bool {
        Int.random(in: 0..<sides, using: &dice) == 0
    }

    private mutating func pick(_ words: [String]) -> String {
        words[Int.random(in: words.indices, using: &dice)]
    }

    // MARK: Exchanges

    private mutating func restore(_ person: Person) {
        let since = asksForChanges(person) ? tokens[person] : nil
        if since != nil { synced.insert(person) }
        let line =
            "GET /a/demo/phone/restore/?version=2.0&\(signature(person))"
            + (since.map { "&since=\($0)" } ?? "")
        if chance(of: 6) {
            let nature = pick(["ota_restore_pending", "ota_restore_error"])
            answer(line, status: chance(of: 2) ? 200 : 202, Self.response(nature))
            return
        }
        var body =
            "<Sync xmlns=\"http://commcarehq.org/sync\"><restore_id>t\(number)</restore_id></Sync>"
        if habit == .purge { body += groups() }
        for _ in 0..<Int.random(in: 0...4, using: &dice) {
            body += block(creates: !chance(of: 5)).text
        }
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
        if !isLost { tokens[person] = "t\(number)" }
    }

    private mutating func asksForChanges(_ person: Person) -> Bool {
        switch habit {
        case .everything: false
        case .changes: !chance(of: 4)
        case .purge: number > 15 && !synced.contains(person)
        }
    }

    /// The user of a restore and the groups, if any.
    private mutating func groups() -> String {
        let groups = pick(["", "<group id=\"o1\"/>", "<group id=\"o1\"/><group id=\"o2\"/>"])
        return """
            <Registration xmlns="http://openrosa.org/user/registration"><uuid>u0</uuid></Registration>\
            <fixture id="user-groups" user_id="u0"><groups>\(groups)</groups></fixture>
            """
    }

    private mutating func submit(_ person: Person) {
        var form = Form(instance: "f\(number)")
        // One that brings a case back would give it a second life.
        let again = sent[person]?.filter { $0.created.isDisjoint(with: closed) }
        if chance(of: 4), let old = again?.randomElement(using: &dice) {
            form = old
        } else {
            for _ in 0..<Int.random(in: 0...3, using: &dice) {
                let block = block(creates: chance(of: 2))
                form.blocks += block.text
                if block.creates { form.created.insert(block.id) }
            }
            sent[person, default: []].append(form)
        }
        let line = "POST /a/demo/receiver/?\(signature(person))"
        let body = """
            <data xmlns="http://example.org/f"><q><case>asked</case></q>\(form.blocks)\
            <meta><instanceID>\(form.instance)</instanceID></meta></data>
            """
        switch Int.random(in: 0..<9, using: &dice) {
        case 0: answer(line, body, status: 500, "")
        case 8: answer(line, body, status: 200, "<html><body>Sign in<br></body></html>")
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

    private mutating func block(
        creates: Bool
    ) -> (id: String, text: String, creates: Bool) {
        let ids = ["c1", "c2", "c3", "c4", "ç5"]
        let id = pick(ids)
        let creates = creates && !closed.contains(id)
        var inside = ""
        if creates {
            let owner = chance(of: 2) ? "<owner_id>\(pick(["o1", "o2"]))</owner_id>" : ""
            let other = chance(of: 4) ? "<weight>\(number)</weight>" : ""
            inside += "<create><case_type>\(pick(["a", "b"]))</case_type>"
            inside += "<case_name>\(pick(["Zoë", "", "n\(number)"]))</case_name>"
            inside += "\(owner)\(other)</create>"
        }
        var update = ""
        while chance(of: 2) {
            let name = pick(["case_name", "owner_id", "case_type", "age", "sex", "external_id"])
            update += "<\(name)>\(pick(["x", "", "\"ü\" &amp;", "o1", "z\(number)"]))</\(name)>"
        }
        if !update.isEmpty { inside += "<update>\(update)</update>" }
        if habit != .changes, chance(of: 2) {
            let relationship = pick(["", " relationship=\"extension\"", " relationship=\"\""])
            // In no circle: those before it alone.
            let before = habit == .purge ? Array(ids.prefix { $0 != id }) : ["c1", "c2"]
            let target = pick(before + ["", id])
            let name = pick(["parent", "host"])
            inside += "<index><\(name) case_type=\"a\"\(relationship)>\(target)</\(name)></index>"
        }
        if chance(of: 9) {
            closed.insert(id)
            inside += "<close/>"
        }
        let user = chance(of: 4) ? "" : " user_id=\"u\(number % 3)\""
        let text = """
            <case xmlns="http://commcarehq.org/case/transaction/v2" case_id="\(id)"\(user) \
            date_modified="2026-11-21T17:\(10 + number % 50):00Z">\(inside)</case>
            """
        return (id, text, creates)
    }
}
