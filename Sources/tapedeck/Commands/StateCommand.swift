import ArgumentParser
import Replaying
import Trace
import Wire

/// `tapedeck state`.
struct StateCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "state",
        abstract: "Show what each side held at a moment, rebuilt from the trace.",
        discussion: """
            Per Simperium bucket: objects and versions of the server and of each client, change \
            versions, and what a client sent and has not seen acknowledged. Per CommCare user and \
            device: sync token, cases and unanswered forms. Servers are believed; a client holds \
            what it must, having sent and received what it did, faults included. With --diff: where \
            the two disagree, and exit status 1 where they do.
            """)

    @Argument(help: "The trace.")
    var trace: String

    @Option(
        help: ArgumentHelp(
            "The moment, with what happened in it: 12.5s since the start, a time such as "
                + "2026-11-21T17:00:00.5Z, #12 or exchange:12, c40 or command:40, m7 or message:7; "
                + "the end without.", valueName: "time|id"))
    var at: StateTime?

    @Option(help: "The end of this session, or --at since its start.")
    var session: Int64?

    @Option(help: "This bucket alone.")
    var bucket: String?

    @Option(help: "This user, device or clientid alone.")
    var user: String?

    @Option(help: "This object, or this case, alone, with all its data.")
    var key: String?

    @Flag(help: "Where client and server disagree, alone.")
    var diff = false

    @Flag(help: "Print a JSON object per line.")
    var json = false

    func run() throws {
        let reader: StateReader
        do {
            reader = try StateReader(path: trace)
        } catch {
            throw Failure(error)
        }
        if let warning = reader.warning { StandardError.write("tapedeck: \(warning)\n") }
        let reading = try SessionStateReading.read(reader, upto: try moment())
        if reading.cut > 0 {
            StandardError.write(
                "tapedeck: \(reading.cut) long commands were passed over: the bytes are gone\n")
        }
        let view = StateView(
            state: reading.state, at: reading.at, anchor: reader.anchor, bucket: bucket,
            user: user, key: key)
        let disagreements: Int
        if json {
            let lines = StateLines(view: view)
            disagreements = diff ? lines.writeDifferences() : lines.write()
        } else {
            let page = StatePage(view: view)
            disagreements = diff ? page.writeDifferences() : page.write()
        }
        if diff, disagreements > 0 { throw ExitCode(Failure.Status.failed.rawValue) }
    }

    private func moment() throws(Failure) -> StateMoment {
        let session = session.map { SessionID($0) }
        guard let at else { return session.map { .session($0) } ?? .end }
        if session != nil {
            guard case .time(let nanoseconds, _) = at.moment else {
                throw Failure(
                    .usage, "--session goes with a time since its start, such as --at 12.5s")
            }
            return .time(nanoseconds: nanoseconds, session: session)
        }
        return at.moment
    }
}

/// A moment, as `--at` names it.
struct StateTime: ExpressibleByArgument {
    let moment: StateMoment

    init?(argument: String) {
        if let colon = argument.firstIndex(of: ":"),
            let number = Int64(argument[argument.index(after: colon)...]), number > 0
        {
            switch argument[..<colon] {
            case "exchange": moment = .exchange(ExchangeID(number))
            case "command": moment = .command(CommandID(number))
            case "message": moment = .message(MessageID(number))
            default: return nil
            }
            return
        }
        if let first = argument.first, "#cm".contains(first),
            let number = Int64(argument.dropFirst()),
            number > 0
        {
            switch first {
            case "#": moment = .exchange(ExchangeID(number))
            case "c": moment = .command(CommandID(number))
            default: moment = .message(MessageID(number))
            }
            return
        }
        if let clock = WallClock.nanoseconds(argument) {
            moment = .clock(unixNanoseconds: clock)
            return
        }
        if argument == "0" || argument == "0s" {
            moment = .time(nanoseconds: 0, session: nil)
            return
        }
        guard let span = TimeSpan(argument: argument) else { return nil }
        moment = .time(nanoseconds: span.nanoseconds, session: nil)
    }
}

/// Times of the wall clock as text (RFC 3339).
enum WallClock {
    /// Nanoseconds since 1970 UTC; nil where the text is no such time.
    static func nanoseconds(_ text: String) -> Int64? {
        let bytes = Array(text.utf8)
        guard bytes.count >= 20, bytes[4] == 0x2D, bytes[7] == 0x2D,
            bytes[10] | 0x20 == 0x74 || bytes[10] == 0x20, bytes[13] == 0x3A, bytes[16] == 0x3A
        else { return nil }
        func number(_ range: Range<Int>) -> Int64? {
            var value: Int64 = 0
            for byte in bytes[range] {
                guard byte &- 0x30 < 10 else { return nil }
                value = value * 10 + Int64(byte - 0x30)
            }
            return value
        }
        guard let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
            let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
            (1...12).contains(month), (1...31).contains(day), hour < 24, minute < 60, second <= 60
        else { return nil }
        var place = 19
        var fraction: Int64 = 0
        if bytes[place] == 0x2E {
            let digits = bytes[(place + 1)...].prefix { $0 &- 0x30 < 10 }
            guard !digits.isEmpty else { return nil }
            for index in 0..<9 {
                let digit = index < digits.count ? digits[digits.startIndex + index] - 0x30 : 0
                fraction = fraction * 10 + Int64(digit)
            }
            place = digits.endIndex
        }
        guard place < bytes.count else { return nil }
        var offset: Int64 = 0
        switch bytes[place] {
        case 0x5A, 0x7A:
            guard place + 1 == bytes.count else { return nil }
        case 0x2B, 0x2D:
            guard place + 6 == bytes.count, bytes[place + 3] == 0x3A,
                let hours = number((place + 1)..<(place + 3)),
                let minutes = number((place + 4)..<(place + 6))
            else { return nil }
            offset = (hours * 60 + minutes) * 60 * (bytes[place] == 0x2B ? 1 : -1)
        default: return nil
        }
        let seconds = ((days(year, month, day) * 24 + hour) * 60 + minute) * 60 + second - offset
        let (whole, isFar) = seconds.multipliedReportingOverflow(by: 1_000_000_000)
        return isFar ? nil : whole + fraction
    }

    /// Days since 1970, in the Gregorian calendar.
    private static func days(_ year: Int64, _ month: Int64, _ day: Int64) -> Int64 {
        let shifted = month <= 2 ? year - 1 : year
        let era = shifted / 400
        let ofEra = shifted - era * 400
        let ofYear = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1
        return era * 146_097 + ofEra * 365 + ofEra / 4 - ofEra / 100 + ofYear - 719_468
    }

    /// `2026-11-21T17:00:00.500Z`.
    static func text(_ unixNanoseconds: Int64) -> String {
        var seconds = unixNanoseconds / 1_000_000_000
        var rest = unixNanoseconds % 1_000_000_000
        if rest < 0 {
            rest += 1_000_000_000
            seconds -= 1
        }
        var days = seconds / 86_400
        var ofDay = seconds % 86_400
        if ofDay < 0 {
            ofDay += 86_400
            days -= 1
        }
        let shifted = days + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let ofEra = shifted - era * 146_097
        let yearOfEra = (ofEra - ofEra / 1460 + ofEra / 36_524 - ofEra / 146_096) / 365
        let ofYear = ofEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let part = (5 * ofYear + 2) / 153
        let day = ofYear - (153 * part + 2) / 5 + 1
        let month = part < 10 ? part + 3 : part - 9
        let year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
        func pad(_ number: Int64, _ width: Int) -> String {
            let text = String(number)
            return String(repeating: "0", count: max(0, width - text.count)) + text
        }
        return "\(pad(year, 4))-\(pad(month, 2))-\(pad(day, 2))T\(pad(ofDay / 3600, 2)):"
            + "\(pad(ofDay / 60 % 60, 2)):\(pad(ofDay % 60, 2)).\(pad(rest / 1_000_000, 3))Z"
    }
}
