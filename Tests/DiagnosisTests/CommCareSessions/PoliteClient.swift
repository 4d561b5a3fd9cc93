import Notation
import Wire

@testable import Diagnosis

/// Decides as the built-in CommCare client does, against a server and a network with moods.
///
/// The decisions are those of `CommCareClient`: the queue in its order and then the restore; 422
/// puts a form aside, 413 and 400 hold it, everything that may pass ends the run; a 412 is followed
/// by one full restore, a 202 by the same request after Retry-After; a user waits for cool-downs.
struct PoliteClient {
    private var chance: SplitMix64
    private var phone: SyncPhone
    private var now = 1.0
    private var queue: [(id: String, place: Int)] = []
    private var made = 0
    private var given = 0
    private var token: String?
    private var cases: Set<String> = []
    private var stored: Set<String> = []
    private var pauses: [String: Double] = [:]
    private var login: String?
    private var challenges = 0

    init(seed: UInt64, _ script: inout SessionScript) {
        chance = SplitMix64(seed: seed)
        phone = SyncPhone(&script, at: 0.1)
    }

    private mutating func draw(_ count: Int) -> Int { Int(chance.next() % UInt64(count)) }

    /// One run of the program: forms are filled, the queue goes, and a restore.
    mutating func run(_ script: inout SessionScript) {
        now += [0.3, 3, 20, 400][draw(4)]
        phone.reconnect(&script, at: now - 0.05)
        login = nil
        challenges = 0
        for _ in 0..<draw(3) {
            made += 1
            queue.append(("form-\(made)", made))
        }
        if sendQueue(&script) { sync(&script) }
        script.close(phone.connection, at: now + 0.02)
        now += 0.1
    }

    // MARK: Forms

    /// - Returns: Whether the run goes on.
    private mutating func sendQueue(_ script: inout SessionScript) -> Bool {
        while let form = queue.first {
            if let until = pauses["form"], now < until { return false }
            switch draw(16) {
            case 0..<7:
                submit(&script, form, SyncPhone.taken)
                cases.insert("case-\(form.place)")
                stored.insert("case-\(form.place)")
            case 7: submit(&script, form, SyncPhone.invalid)
            case 8: submit(&script, form, SyncPhone.answer(413, type: "text/plain", "too large"))
            case 9: return refused(&script, form, retryAfter: 1 + draw(9))
            case 10: return refused(&script, form, retryAfter: nil)
            case 11:
                submit(&script, form, SyncPhone.deactivated)
                return false
            case 12:
                // The answer is lost, and the server has the form.
                submit(&script, form, nil)
                stored.insert("case-\(form.place)")
                return false
            case 13:
                submit(&script, form, SyncPhone.answer([500, 502, 504][draw(3)]))
                return false
            case 14:
                submit(
                    &script, form, SyncPhone.answer(200, type: "text/html", "<html>Hello</html>"))
                return false
            default:
                let challenge = ["WWW-Authenticate: Digest realm=\"r\", nonce=\"n\""]
                let before = login
                guard challenges == 0 else { return false }
                challenges += 1
                login = phone.login.replacing("response=\"0\"", with: "response=\"1\"")
                submit(&script, form, SyncPhone.answer(401, challenge))
                login = before
                continue
            }
            queue.removeFirst()
        }
        return true
    }

    private mutating func submit(
        _ script: inout SessionScript, _ form: (id: String, place: Int), _ answer: String?
    ) {
        let minute = form.place % 60 < 10 ? "0\(form.place % 60)" : "\(form.place % 60)"
        phone.submit(
            &script, at: now, form.id, token: token,
            blocks: SyncPhone.new("case-\(form.place)"),
            end: "2026-02-03T\(10 + form.place / 60):\(minute):00.000Z", detail: form.id,
            login: login, gets: answer)
        now += 0.05
    }

    private mutating func refused(
        _ script: inout SessionScript, _ form: (id: String, place: Int), retryAfter: Int?
    ) -> Bool {
        submit(&script, form, SyncPhone.busy([429, 503][draw(2)], retryAfter: retryAfter))
        pauses["form"] = now + max(Double(retryAfter ?? 0), 5) * wait("form", retryAfter)
        return false
    }

    /// A user who is told to try later waits longer each time.
    private mutating func wait(_ kind: String, _ retryAfter: Int?) -> Double {
        let factor = pauses[kind + " factor"] ?? 1
        pauses[kind + " factor"] = factor * 2
        return retryAfter == nil ? factor : 1
    }

    // MARK: Restores

    private mutating func sync(_ script: inout SessionScript) {
        pauses["form factor"] = nil
        if let until = pauses["restore"], now < until { return }
        var isFull = token == nil
        for _ in 0..<20 {
            switch draw(12) {
            case 0..<5:
                take(&script, isFull)
                pauses["restore factor"] = nil
                return
            case 5, 6:
                let seconds = 1 + draw(5)
                ask(&script, isFull, SyncPhone.pending("\(seconds)", done: 5))
                now += Double(seconds)
            case 7:
                ask(&script, isFull, SyncPhone.refused)
                if isFull { return }
                isFull = true
            case 8:
                let seconds = draw(2) == 0 ? nil : 1 + draw(9)
                ask(&script, isFull, SyncPhone.busy(retryAfter: seconds))
                pauses["restore"] = now + max(Double(seconds ?? 0), 5) * wait("restore", seconds)
                return
            case 9:
                ask(&script, isFull, draw(2) == 0 ? SyncPhone.deactivated : SyncPhone.answer(500))
                return
            case 10:
                // An end that comes too early: nothing counts.
                given += 1
                ask(
                    &script, isFull,
                    SyncPhone.given("t\(given)").replacing("</OpenRosaResponse>", with: ""))
                return
            default:
                ask(&script, isFull, nil)
                return
            }
        }
    }

    private mutating func ask(_ script: inout SessionScript, _ isFull: Bool, _ answer: String?) {
        phone.restore(
            &script, at: now, since: isFull ? nil : token, has: cases.sorted(), login: login, answer
        )
        now += 0.05
    }

    private mutating func take(_ script: inout SessionScript, _ isFull: Bool) {
        given += 1
        let new = "theirs-\(given)"
        let all = isFull ? stored.union([new]) : [new]
        ask(&script, isFull, SyncPhone.given("t\(given)", all.sorted().map { SyncPhone.new($0) }))
        cases = isFull ? all : cases.union(all)
        stored.formUnion(all)
        token = "t\(given)"
        // A device reads before it goes on.
        now += 1.2
    }
}
