import ArgumentParser
import Notation
import Trace
import Wire

/// A point in time, as `--at` gives it.
struct StateTime: ExpressibleByArgument {
    let moment: StateMoment

    /// What `--at` and `--session` mean together: without a time the end of the session or trace.
    static func moment(at: StateTime?, session: Int64?) throws(Failure) -> StateMoment {
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
        if let clock = Timestamp(argument)?.unixNanoseconds {
            moment = .clock(unixNanoseconds: clock)
            return
        }
        guard let nanoseconds = TimeSpan.time(argument) else { return nil }
        moment = .time(nanoseconds: nanoseconds, session: nil)
    }
}
