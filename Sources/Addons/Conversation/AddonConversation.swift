public import Wire

/// The conversation with one add-on: what is asked, what is answered, and when it is given up.
///
/// A value without I/O. Every event that it is asked about gets one decision, at the latest when
/// its deadline has passed; `Addons.md` states what becomes of an add-on that is slow, dies or
/// does not keep to the protocol.
public struct AddonConversation: Sendable {
    /// What is to be done.
    public enum Command: Hashable, Sendable {
        /// The program is started.
        case start
        /// The program gets these bytes.
        case write([UInt8])
        /// The program is killed, with all that it started.
        case kill
        /// The program's input is closed; it may write until its output ends.
        case closeInput
        /// The add-on asks for these events from now on; nil for none.
        case listens(AddonHello?)
        /// What becomes of the event that was asked about under this ticket.
        case decide(ticket: Int64, AddonVerdict)
        /// Something beside the verdict about this ticket; nil for the session.
        case aside(ticket: Int64?, AddonAside)
        /// A message for the user and the trace.
        case warn(String)
        /// The conversation is to be woken at this time.
        case wake(at: Instant)
    }

    private enum Phase {
        /// Nothing runs, until the end of a pause.
        case pausing(until: Instant)
        /// It runs and has not said hello.
        case starting(deadline: Instant)
        /// It runs.
        case running(since: Instant)
        /// It is to end by itself; the time by which, once its input is closed.
        case ending(deadline: Instant?)
        /// Nothing runs, nor will.
        case over
    }

    private let limits: AddonLimits
    private var phase = Phase.over
    private var lines: AddonLines
    private var window = AddonWindow()
    private var unread = 0
    private var asides: Int
    /// Since when a deadline has passed without a line after it.
    private var silentSince: Instant?
    private var pause: Int64
    private var wakeAt: Instant?
    /// When a warning about lateness was given.
    private var warnedLate: Instant?
    private var isFull = false
    /// What was counted.
    public private(set) var counts = AddonCounts()

    /// A conversation that has not begun.
    public init(limits: AddonLimits = AddonLimits()) {
        self.limits = limits
        lines = AddonLines(longest: limits.lineBytes)
        asides = limits.besideAtOnce
        pause = limits.firstPauseNanoseconds
    }

    /// Whether an event may be given now without waiting to be sent.
    public var hasRoom: Bool { window.waitingCount == 0 && maySend }

    /// Whether the program ended, and is not started again.
    public var isOver: Bool {
        if case .over = phase { true } else { false }
    }

    // MARK: Events

    /// Begins.
    public mutating func begin(at: Instant, into commands: inout [Command]) {
        start(at, &commands)
    }

    /// Takes an event: it is sent, waits to be sent, or passes.
    public mutating func ask(
        _ event: AddonEvent, _ interest: AddonInterest, ticket: Int64, at: Instant,
        into commands: inout [Command]
    ) {
        guard case .running = phase, silentSince == nil else {
            return pass([ticket], &commands)
        }
        let bytes = event.bytes.count
        guard window.waitingCount < limits.waitingEvents,
            window.waitingBytes + bytes <= limits.waitingBytes
        else {
            if !isFull {
                isFull = true
                commands.append(
                    .warn("it is slower than the traffic; events pass without being asked about"))
            }
            return pass([ticket], &commands)
        }
        window.append(
            AddonWindow.Waiting(ticket: ticket, event: event, interest: interest, bytes: bytes))
        send(at, &commands)
    }

    /// Takes what the program wrote.
    public mutating func received(
        _ bytes: [UInt8], at: Instant, into commands: inout [Command]
    ) {
        switch phase {
        case .pausing, .over: return
        case .starting, .running, .ending: break
        }
        var (found, failure) = lines.feed(bytes)
        for line in found {
            do throws(AddonError) {
                try read(line, at, &commands)
            } catch {
                failure = error
                break
            }
        }
        if let failure {
            counts.failures += 1
            commands.append(.warn("what it wrote is not understood: \(failure)"))
            return giveUp(kills: true, at, &commands)
        }
        send(at, &commands)
    }

    /// Notes that so many bytes of what was written for the program left this process.
    public mutating func wrote(_ count: Int, at: Instant, into commands: inout [Command]) {
        unread = max(0, unread - count)
        send(at, &commands)
    }

    /// Notes that the program ended, or could not be started; `detail` is how.
    public mutating func ended(
        _ detail: String, isSuccess: Bool = false, at: Instant, into commands: inout [Command]
    ) {
        let cut = lines.pendingBytes > 0 ? ", within a line of its output" : ""
        switch phase {
        case .pausing, .over: break
        case .ending(let deadline):
            if !isSuccess || deadline == nil || !cut.isEmpty {
                counts.failures += 1
                commands.append(.warn("it \(detail)\(cut)"))
            }
            let undecided = window.takeAll()
            if !undecided.isEmpty {
                counts.failures += 1
                let text = undecided.count == 1 ? "1 event" : "\(undecided.count) events"
                commands.append(.warn("it ended without a verdict about \(text)"))
            }
            pass(undecided, &commands)
            phase = .over
        case .starting, .running:
            counts.failures += 1
            commands.append(.warn("it \(detail)\(cut)"))
            giveUp(kills: false, at, &commands)
        }
    }

    /// Notes that a requested time has come.
    public mutating func wake(at: Instant, into commands: inout [Command]) {
        if let wakeAt, wakeAt <= at { self.wakeAt = nil }
        switch phase {
        case .pausing(let until):
            if until <= at { return start(at, &commands) }
        case .starting(let deadline):
            if deadline <= at {
                let time = Self.text(limits.startNanoseconds)
                return fail("it did not say which events it wants within \(time)", at, &commands)
            }
        case .running: expire(at, &commands)
        case .ending(let deadline):
            if let deadline, deadline <= at {
                let time = Self.text(limits.endNanoseconds)
                return fail("it did not end within \(time) of its input", at, &commands)
            }
            expire(at, &commands)
        case .over: return
        }
        planWake(&commands)
    }

    /// Ends the conversation: what was asked is still answered, then the program has to end.
    public mutating func finish(at: Instant, into commands: inout [Command]) {
        switch phase {
        case .pausing, .starting:
            if case .starting = phase { commands.append(.kill) }
            pass(window.takeAll(), &commands)
            phase = .over
            commands.append(.listens(nil))
        case .running:
            commands.append(.listens(nil))
            phase = .ending(deadline: nil)
            send(at, &commands)
        case .ending, .over: break
        }
    }

    // MARK: Sending

    private var maySend: Bool {
        window.openCount < limits.openEvents && unread < limits.unreadBytes
    }

    /// Sends what waits, as far as there is room.
    private mutating func send(_ at: Instant, _ commands: inout [Command]) {
        switch phase {
        case .running, .ending(deadline: nil): break
        case .pausing, .starting, .ending, .over: return
        }
        let deadline = Self.moment(at, after: limits.deadlineNanoseconds)
        while maySend, let (id, item) = window.next(deadline: deadline) {
            let line = item.event.line(id: id, item.interest)
            asides = min(limits.besideAtOnce, asides + limits.besideEachEvent)
            unread += line.count
            counts.asked += 1
            if !item.interest.isAwaited {
                commands.append(.decide(ticket: item.ticket, .pass))
            }
            commands.append(.write(line))
        }
        if window.waitingCount == 0 {
            isFull = false
            if case .ending = phase {
                asides = limits.besideAtOnce
                commands.append(.write(Array("{\"event\":\"end\"}\n".utf8)))
                commands.append(.closeInput)
                phase = .ending(deadline: Self.moment(at, after: limits.endNanoseconds))
            }
        }
        planWake(&commands)
    }

    private mutating func pass(_ tickets: [Int64], _ commands: inout [Command]) {
        counts.unasked += tickets.count
        for ticket in tickets { commands.append(.decide(ticket: ticket, .pass)) }
    }

    // MARK: Reading

    private mutating func read(
        _ line: [UInt8], _ at: Instant, _ commands: inout [Command]
    ) throws(AddonError) {
        if case .starting = phase {
            let hello = try AddonHello(line: line)
            phase = .running(since: at)
            commands.append(.listens(hello))
            return
        }
        let line = try AddonLine(line, limits: limits)
        silentSince = nil
        let item: AddonWindow.Asked?
        if let id = line.id {
            item = window.asked(id)
            if item == nil { throw AddonError(.unknownID(id), at: line.idOffset) }
        } else {
            item = nil
        }
        if let kind = item?.kind, !line.content.isApplicable(to: kind) {
            throw AddonError(
                .notApplicable(line.content.name, kind: kind.rawValue), at: line.offset)
        }
        switch line.content {
        case .aside(let aside):
            guard asides > 0 else {
                throw AddonError(.flood(limit: limits.besideAtOnce), at: line.offset)
            }
            asides -= 1
            commands.append(.aside(ticket: item?.ticket, aside))
        case .verdict(let verdict):
            guard let id = line.id, let item else { return }
            window.close(id)
            counts.verdicts[verdict.name, default: 0] += 1
            if item.isAwaited, !item.isLate {
                commands.append(.decide(ticket: item.ticket, verdict))
            } else if item.isLate {
                counts.late += 1
            } else if verdict != .pass {
                counts.ignored += 1
            }
        }
    }

    // MARK: Giving up

    /// Lets events pass whose deadline has come.
    private mutating func expire(_ at: Instant, _ commands: inout [Command]) {
        let expired = window.expire(at: at)
        for ticket in expired { commands.append(.decide(ticket: ticket, .pass)) }
        counts.expired += expired.count
        if window.lateCount > AddonWindow.maxLate {
            return fail("it leaves events without a verdict", at, &commands)
        }
        if silentSince == nil, !expired.isEmpty {
            silentSince = at
            pass(window.takeWaiting(), &commands)
            // Once a minute is enough for what may come every second.
            if warnedLate.map({ Self.moment($0, after: 60_000_000_000) <= at }) ?? true {
                warnedLate = at
                let time = Self.text(limits.deadlineNanoseconds)
                commands.append(
                    .warn("it gave no verdict within \(time); events pass until it does"))
            }
        }
        guard let until = silenceEnd, until <= at else { return }
        let time = Self.text(limits.deadlineNanoseconds * limits.silentDeadlines)
        fail("it wrote nothing for \(time)", at, &commands)
    }

    /// When it has been silent for too long.
    private var silenceEnd: Instant? {
        let patience = limits.deadlineNanoseconds * max(0, limits.silentDeadlines - 1)
        return silentSince.map { Self.moment($0, after: patience) }
    }

    private mutating func fail(_ detail: String, _ at: Instant, _ commands: inout [Command]) {
        counts.failures += 1
        commands.append(.warn(detail))
        giveUp(kills: true, at, &commands)
    }

    /// Lets everything pass, and starts the program again after a pause.
    private mutating func giveUp(kills: Bool, _ at: Instant, _ commands: inout [Command]) {
        if kills { commands.append(.kill) }
        commands.append(.listens(nil))
        pass(window.takeAll(), &commands)
        lines = AddonLines(longest: limits.lineBytes)
        unread = 0
        silentSince = nil
        asides = limits.besideAtOnce
        var isLast = !limits.isRestarted
        if case .ending = phase { isLast = true }
        guard !isLast else {
            phase = .over
            return
        }
        if case .running(let since) = phase,
            Self.moment(since, after: limits.longestPauseNanoseconds) <= at
        {
            pause = limits.firstPauseNanoseconds
        }
        commands.append(.warn("it is started again in \(Self.text(pause))"))
        phase = .pausing(until: Self.moment(at, after: pause))
        pause = min(limits.longestPauseNanoseconds, pause * 2)
        planWake(&commands)
    }

    private mutating func start(_ at: Instant, _ commands: inout [Command]) {
        counts.starts += 1
        phase = .starting(deadline: Self.moment(at, after: limits.startNanoseconds))
        commands.append(.start)
        let hello = "{\"hello\":\(AddonHello.version),\"program\":\"tapedeck\"}\n"
        unread = hello.utf8.count
        commands.append(.write(Array(hello.utf8)))
        planWake(&commands)
    }

    // MARK: Time

    private mutating func planWake(_ commands: inout [Command]) {
        let next: Instant?
        switch phase {
        case .pausing(let until): next = until
        case .starting(let deadline): next = deadline
        case .running: next = [window.nextDeadline, silenceEnd].compactMap { $0 }.min()
        case .ending(let deadline):
            next = [window.nextDeadline, silenceEnd, deadline].compactMap { $0 }.min()
        case .over: next = nil
        }
        guard let next, wakeAt.map({ next < $0 }) ?? true else { return }
        wakeAt = next
        commands.append(.wake(at: next))
    }

    private static func moment(_ at: Instant, after nanoseconds: Int64) -> Instant {
        Instant(nanoseconds: at.nanoseconds.addingReportingOverflow(nanoseconds).partialValue)
    }

    private static func text(_ nanoseconds: Int64) -> String {
        nanoseconds % 1_000_000_000 == 0
            ? "\(nanoseconds / 1_000_000_000) s" : "\(nanoseconds / 1_000_000) ms"
    }
}
