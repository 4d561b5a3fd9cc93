import Filters
import Notation
import Testing
import Wire

@testable import Addons

/// A conversation as a test plays it, with what it decided and warned of.
private struct Play {
    var conversation: AddonConversation
    var decided: [Int64: AddonVerdict] = [:]
    var asides: [AddonAside] = []
    var warnings: [String] = []
    var written: [String] = []
    var starts = 0
    var kills = 0
    var closes = 0
    var isListening = false
    var wakes: [Int64] = []
    private var interest: AddonInterest?
    private var hello: AddonHello?

    init(_ limits: AddonLimits = AddonLimits()) {
        conversation = AddonConversation(limits: limits)
    }

    /// One that runs and asks for messages.
    static func running(
        _ limits: AddonLimits = AddonLimits(), watch: Bool = false
    ) -> Play {
        var play = Play(limits)
        play.on(0) { $0.begin(at: $1, into: &$2) }
        play.says(#"{"hello":1,"on":[{"kinds":["message","request"],"watch":\#(watch)}]}"#, 0)
        return play
    }

    mutating func on(
        _ seconds: Double,
        _ body: (inout AddonConversation, Instant, inout [AddonConversation.Command]) -> Void
    ) {
        var commands: [AddonConversation.Command] = []
        body(&conversation, Instant(nanoseconds: Int64(seconds * 1e9)), &commands)
        for command in commands {
            switch command {
            case .start: starts += 1
            case .write(let bytes): written.append(String(decoding: bytes, as: UTF8.self))
            case .kill: kills += 1
            case .closeInput: closes += 1
            case .listens(let hello):
                self.hello = hello
                isListening = hello != nil
            case .decide(let ticket, let verdict):
                #expect(decided[ticket] == nil, "one decision for \(ticket)")
                decided[ticket] = verdict
            case .aside(_, let aside): asides.append(aside)
            case .warn(let text): warnings.append(text)
            case .wake(let at): wakes.append(at.nanoseconds)
            }
        }
    }

    mutating func says(_ text: String, _ seconds: Double) { raw(text + "\n", seconds) }

    mutating func raw(_ text: String, _ seconds: Double) {
        on(seconds) { $0.received(Array(text.utf8), at: $1, into: &$2) }
    }

    mutating func ask(_ ticket: Int64, _ seconds: Double, _ event: AddonEvent = Events.message("a"))
    {
        let interest =
            hello.flatMap { AddonInterest(event, in: $0) }
            ?? AddonInterest(
                event, in: AddonHello([AddonSubscription(all: true)]))
        guard let interest else { return }
        on(seconds) { $0.ask(event, interest, ticket: ticket, at: $1, into: &$2) }
    }

    mutating func wake(_ seconds: Double) { on(seconds) { $0.wake(at: $1, into: &$2) } }

    mutating func ends(_ seconds: Double, isSuccess: Bool = false) {
        on(seconds) { $0.ended("exited with status 3", isSuccess: isSuccess, at: $1, into: &$2) }
    }
}

extension AddonSubscription {
    fileprivate init(all: Bool) {
        self.init(filter: .init(.always), kinds: Set(AddonEventKind.allCases))
    }
}

@Suite struct AddonConversationTests {
    @Test func `asks in order, and takes verdicts in any order`() {
        var play = Play.running()
        for ticket in 1...3 { play.ask(Int64(ticket), 0) }
        #expect(play.written.count == 4 && play.decided.isEmpty)
        play.says(#"{"id":3,"verdict":"drop"}"#, 0.1)
        play.says(#"{"id":1,"verdict":"pass"}"#, 0.1)
        play.says(#"{"id":2,"verdict":"edit","text":"b"}"#, 0.1)
        #expect(play.decided == [3: .drop, 1: .pass, 2: .edit(AddonEdit(content: [0x62]))])
        #expect(play.warnings == [])
        #expect(play.conversation.counts.verdicts == ["drop": 1, "pass": 1, "edit": 1])
    }

    @Test func `takes what comes beside verdicts`() {
        var play = Play.running()
        play.ask(1, 0)
        play.raw(#"{"id":1,"verdict":"mark","text":"m"}"# + "\n" + #"{"id":1,"verd"#, 0)
        #expect(play.asides == [.mark("m")] && play.decided.isEmpty)
        play.raw(#"ict":"send","to":"client","text":"x"}"# + "\n", 0)
        play.says(#"{"verdict":"note","text":"n"}"#, 0)
        play.says(#"{"id":1,"verdict":"pass"}"#, 0)
        #expect(play.asides == [.mark("m"), .send([0x78], to: .client), .note("n")])
        #expect(play.decided == [1: .pass])
    }

    @Test(arguments: [
        #"{"id":2,"verdict":"pass"}"#, "nonsense", "", #"{"id":1,"verdict":"edit"}"#,
        #"{"id":1,"verdict":"answer","status":200}"#, "\u{0}", #"{"hello":1}"#,
    ])
    func `ends what is not understood, lets traffic pass, and starts it again`(line: String) {
        var play = Play.running()
        play.ask(1, 0)
        play.says(line, 0.5)
        #expect(play.kills == 1 && play.decided == [1: .pass] && !play.isListening)
        #expect(play.warnings.count == 2 && play.warnings[0].hasPrefix("what it wrote is not"))
        play.ask(2, 0.6)
        #expect(play.decided[2] == .pass)
        play.wake(1.4)
        #expect(play.starts == 1)
        play.wake(1.5)
        #expect(play.starts == 2)
    }

    @Test func `refuses the verdict about an event that is decided`() {
        var play = Play.running()
        play.ask(1, 0)
        play.says(#"{"id":1,"verdict":"pass"}"#, 0)
        play.says(#"{"id":1,"verdict":"drop"}"#, 0)
        #expect(play.kills == 1 && play.warnings[0].contains("no event with id 1"))
    }

    @Test func `lets an event pass at its deadline, and takes later verdicts for late`() {
        var play = Play.running()
        play.ask(1, 0)
        play.ask(2, 0.5)
        #expect(play.wakes.contains(1_000_000_000))
        play.wake(0.999)
        #expect(play.decided.isEmpty)
        play.wake(1)
        #expect(play.decided == [1: .pass] && play.warnings.count == 1)
        play.ask(3, 1.1)
        #expect(play.decided[3] == .pass, "it is not asked while it is silent")
        play.says(#"{"id":1,"verdict":"drop"}"#, 1.2)
        #expect(play.decided[1] == .pass && play.conversation.counts.late == 1)
        play.says(#"{"id":2,"verdict":"drop"}"#, 1.2)
        #expect(play.decided[2] == .drop)
        play.ask(4, 1.3)
        play.says(#"{"id":3,"verdict":"drop"}"#, 1.4)
        #expect(play.decided[4] == .drop && play.kills == 0)
    }

    @Test func `ends what stays silent, with pauses that grow and begin anew`() {
        var play = Play.running()
        var now = 0.0
        for pause in [1.0, 2, 4, 8, 16, 32, 60, 60] {
            let ticket = Int64(now * 10) + 1
            play.ask(ticket, now)
            play.wake(now + 1)
            play.wake(now + 2.9)
            let kills = play.kills
            play.wake(now + 3)
            #expect(play.kills == kills + 1 && play.decided[ticket] == .pass)
            #expect(play.warnings.last == "it is started again in \(Int(pause)) s")
            let starts = play.starts
            play.wake(now + 3 + pause - 0.1)
            #expect(play.starts == starts)
            now += 3 + pause
            play.wake(now)
            #expect(play.starts == starts + 1)
            play.says(#"{"hello":1,"on":[{"kinds":["message"]}]}"#, now)
        }
        now += 61
        play.ends(now)
        #expect(play.warnings.last == "it is started again in 1 s")
    }

    @Test func `starts again what died, within a line or not`() {
        var play = Play.running()
        play.ask(1, 0)
        play.raw(#"{"id":1,"ver"#, 0.1)
        play.ends(0.2)
        #expect(play.decided == [1: .pass] && play.kills == 0)
        #expect(play.warnings.first == "it exited with status 3, within a line of its output")
        play.wake(1.2)
        play.says(#"{"hello":1,"on":[]}"#, 1.3)
        #expect(play.starts == 2 && play.isListening)
    }

    @Test func `waits for the hello, and not for ever`() {
        var play = Play()
        play.on(0) { $0.begin(at: $1, into: &$2) }
        play.ask(1, 1)
        #expect(play.decided == [1: .pass])
        play.wake(9.9)
        #expect(play.kills == 0)
        play.wake(10)
        #expect(play.kills == 1 && play.warnings.count == 2)
    }

    @Test func `sends no more than may be open, and keeps the rest in order`() {
        var limits = AddonLimits()
        limits.openEvents = 2
        limits.waitingEvents = 3
        var play = Play.running(limits)
        for ticket in 1...5 { play.ask(Int64(ticket), 0) }
        #expect(play.written.count == 3 && !play.conversation.hasRoom && play.decided.isEmpty)
        play.ask(6, 0)
        play.ask(7, 0)
        #expect(play.decided == [6: .pass, 7: .pass] && play.warnings.count == 1)
        play.says(#"{"id":1,"verdict":"pass"}"#, 0)
        #expect(play.written.count == 4)
        for id in 2...5 { play.says(#"{"id":\#(id),"verdict":"drop"}"#, 0) }
        #expect((2...5).allSatisfy { play.decided[$0] == .drop } && play.conversation.hasRoom)
    }

    @Test func `waits for the program to read`() {
        var limits = AddonLimits()
        limits.unreadBytes = 300
        var play = Play.running(limits)
        for ticket in 1...5 { play.ask(Int64(ticket), 0) }
        let sent = play.written.count
        #expect(sent < 6)
        play.on(0) { $0.wrote(10_000, at: $1, into: &$2) }
        #expect(play.written.count > sent)
    }

    @Test func `takes a flood of notes for what it is`() {
        var limits = AddonLimits()
        limits.besideAtOnce = 100
        var play = Play.running(limits)
        play.ask(1, 0)
        for _ in 0..<100 { play.says(#"{"id":1,"verdict":"note","text":"n"}"#, 0) }
        #expect(play.kills == 0)
        play.says(#"{"verdict":"note","text":"n"}"#, 0)
        #expect(play.kills == 1 && play.asides.count == 100 && play.decided == [1: .pass])
    }

    @Test func `does not wait for one that watches`() {
        var play = Play.running(watch: true)
        play.ask(1, 0)
        #expect(play.decided == [1: .pass])
        play.says(#"{"id":1,"verdict":"note","text":"n"}"#, 0)
        play.says(#"{"id":1,"verdict":"drop"}"#, 0)
        #expect(play.conversation.counts.ignored == 1 && play.warnings.isEmpty)
    }

    @Test func `ends in order`() {
        var play = Play.running()
        play.ask(1, 0)
        play.on(0.1) { $0.finish(at: $1, into: &$2) }
        #expect(play.written.last == "{\"event\":\"end\"}\n" && play.closes == 1)
        play.says(#"{"id":1,"verdict":"drop"}"#, 0.2)
        play.says(#"{"verdict":"note","text":"sum"}"#, 0.2)
        play.ends(0.3, isSuccess: true)
        #expect(play.decided == [1: .drop] && play.asides == [.note("sum")])
        #expect(play.warnings.isEmpty && play.conversation.isOver)
    }

    @Test func `ends what does not end`() {
        var play = Play.running()
        play.on(0) { $0.finish(at: $1, into: &$2) }
        play.wake(59)
        #expect(!play.conversation.isOver)
        play.wake(60)
        #expect(play.kills == 1 && play.conversation.isOver)
    }

    @Test(arguments: 0..<200) func `decides about every event once, whatever happens`(seed: UInt64)
    {
        var random = SplitMix64(seed: seed)
        var limits = AddonLimits()
        limits.openEvents = 5
        limits.waitingEvents = 5
        var play = Play.running(limits)
        var (now, ticket) = (0.0, Int64(0))
        for _ in 0..<200 {
            now += Double(random.next() % 4) * 0.3
            switch random.next() % 8 {
            case 0, 1, 2:
                ticket += 1
                play.ask(ticket, now)
            case 3, 4:
                let id = Int64(random.next() % UInt64(max(1, ticket))) + 1
                play.says(#"{"id":\#(id),"verdict":"pass"}"#, now)
            case 5: play.wake(now)
            case 6: play.says(#"{"hello":1,"on":[{"kinds":["message"]}]}"#, now)
            default: if random.next() % 8 == 0 { play.ends(now) }
            }
        }
        play.on(now) { $0.finish(at: $1, into: &$2) }
        play.wake(now + 2)
        play.wake(now + 100)
        #expect(Set(play.decided.keys) == Set(ticket > 0 ? Array(1...ticket) : []))
        #expect(play.conversation.isOver)
    }
}
