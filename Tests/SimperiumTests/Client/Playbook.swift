import Notation
import Simperium
import Wire

/// A story of a client bucket as text: what happens, and what the client says to it.
///
/// One line each. `open`, `close`, `edit KEY JSON`, `delete KEY`, `discard KEY`, `empty`,
/// `token TEXT`, `tick 5s`, `restart` (goes on from what was saved) and `< MESSAGE` happen; `> MESSAGE`
/// is what the client must have sent since, in order, all of it; `! WORDS` is another command it
/// must have given. `#1` stands for the identifier of its first change, `#2` of its second, and so
/// on. Lines that begin with `//` are for people.
struct Playbook {
    var bucket: ClientBucket
    private(set) var failures: [String] = []
    private var now = Instant.zero
    private var sent: [String] = []
    private var said: [String] = []
    private var ccids: [String] = []
    private var stored = ClientBucket.Saved()
    private let settings: ClientBucket.Settings

    static let usual = {
        var settings = ClientBucket.Settings(bucket: "notes", app: "app", clientID: "client")
        settings.pagesHoldData = true
        return settings
    }()

    /// The `init` that the usual client sends with the token `t`.
    static let opening = opening("t")

    static func opening(_ token: String, command: String? = nil) -> String {
        let cmd = command.map { #","cmd":"\#($0)""# } ?? ""
        return #"> 0:init:{"name":"notes","clientid":"client","api":"1.1","token":"\#(token)","#
            + #""app_id":"app","library":"tapedeck","version":"1.0"\#(cmd)}"#
    }

    /// A client that is in sync with a bucket of one object, `a` at version 1: `{"x":"ab"}`.
    static let synced = """
        open
        \(opening)
        < 0:auth:user@example.com
        > 0:i:1:::100
        < 0:i:{"current":"c1","index":[{"id":"a","v":1,"d":{"x":"ab"}}]}
        ! changed a nil {"x":"ab"} index

        """

    init(_ settings: ClientBucket.Settings = usual, token: String? = "t", seed: UInt64 = 1) {
        self.settings = settings
        bucket = ClientBucket(settings: settings, token: token, seed: seed)
    }

    /// Plays a story, and gives what went otherwise than it says.
    static func play(
        _ text: String, settings: ClientBucket.Settings = usual, token: String? = "t"
    ) -> [String] {
        var book = Playbook(settings, token: token)
        book.run(text)
        return book.failures
    }

    mutating func run(_ text: String) {
        for line in text.split(separator: "\n", omittingEmptySubsequences: true) {
            perform(String(line))
        }
        settle(before: "the end")
    }

    private mutating func perform(_ line: String) {
        let words = line.split(separator: " ", maxSplits: 1).map(String.init)
        guard let verb = words.first else { return }
        let rest = words.count > 1 ? words[1] : ""
        switch verb {
        case "//": return
        case ">":
            check(fill(rest), kind: "sent", sent.isEmpty ? nil : sent.removeFirst())
            return
        case "!":
            check(fill(rest), kind: "said", said.isEmpty ? nil : said.removeFirst())
            return
        default: break
        }
        settle(before: line)
        switch verb {
        case "open": happen(.opened)
        case "close": happen(.closed)
        case "empty": happen(.emptied)
        case "token": happen(.token(rest))
        case "delete": happen(.removed(key: rest))
        case "discard": happen(.discarded(key: rest))
        case "tick":
            now.nanoseconds += (Int64(rest.dropLast()) ?? 0) * 1_000_000_000
            happen(.timePassed)
        case "restart":
            bucket = ClientBucket(
                restoring: stored, settings: settings, token: "t", seed: UInt64(ccids.count + 99))
        case "edit":
            let parts = rest.split(separator: " ", maxSplits: 1).map(String.init)
            guard parts.count == 2, let data = try? JSONValue(parsing: parts[1]) else {
                failures.append("cannot read: \(line)")
                return
            }
            happen(.edited(key: parts[0], data: data))
        case "<":
            let bytes = Array(fill(rest).replacing("\\n", with: "\n").utf8)
            let command = SimperiumCommand.parse(bytes, from: .server)
            guard let message = SimperiumMessage(command, in: bytes) else {
                failures.append("cannot read: \(line)")
                return
            }
            happen(.received(message))
        default: failures.append("no such verb: \(line)")
        }
    }

    private mutating func happen(_ event: ClientBucket.Event) {
        var commands: [ClientBucket.Command] = []
        bucket.handle(event, at: now, into: &commands)
        for command in commands {
            switch command {
            case .send(let message):
                if case .changes(let changes) = message.body {
                    for ccid in changes.flatMap(\.ccids) where !ccids.contains(ccid) {
                        ccids.append(ccid)
                    }
                }
                sent.append(String(decoding: message.encoded(by: .client), as: UTF8.self))
            case .changed(let key, let old, let new, let cause):
                said.append("changed \(key) \(old?.text() ?? "nil") \(new.text()) \(cause)")
            case .removed(let key, _, let cause): said.append("removed \(key) \(cause)")
            case .rejected(let key, let code, _):
                said.append("rejected \(key) \(code.map(String.init) ?? "nil")")
            case .needsToken(let code):
                said.append("needs token \(code.map(String.init) ?? "nil")")
            case .reconnect: said.append("reconnect")
            case .save(let saving): stored.apply(saving)
            case .setTimer, .log: break
            }
        }
        if stored != bucket.saved { failures.append("not saved after \(event)") }
    }

    private func fill(_ text: String) -> String {
        var text = text
        for (place, ccid) in ccids.enumerated().reversed() {
            text = text.replacing("#\(place + 1)", with: ccid)
        }
        return text
    }

    private mutating func check(_ text: String, kind: String, _ first: String?) {
        if first != text {
            failures.append("expected \(kind): \(text)\n     instead: \(first ?? "nothing")")
        }
    }

    private mutating func settle(before line: String) {
        for text in sent { failures.append("sent before \(line): \(text)") }
        for text in said { failures.append("said before \(line): \(text)") }
        sent = []
        said = []
    }
}
