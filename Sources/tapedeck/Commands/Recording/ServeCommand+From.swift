import Foundation
import Notation
import Sessions
import SyncServers
import Trace
import Wire

extension ServeCommand {
    /// What `--from` begins with; nil without it.
    ///
    /// What it is, and what is left out, goes to standard error.
    func initialState(_ accounts: Accounts) throws -> InitialState? {
        guard let from else {
            guard at == nil, session == nil else {
                throw Failure(.usage, "--at and --session go with --from, which names the trace")
            }
            return nil
        }
        let reader: StateReader
        do {
            reader = try StateReader(path: from)
        } catch {
            throw Failure(error)
        }
        reader.warning.map(StandardError.warn)
        let reading: HoldingsReading
        do {
            reading = try HoldingsReading.read(
                reader, upto: StateTime.moment(at: at, session: session))
        } catch let error as SessionError {
            throw Failure(error)
        }
        let initial = InitialState(
            reading.holdings, accounts: accounts, now: Int64(Date().timeIntervalSince1970))
        StandardError.warn(
            "serving what \(from) has \(Self.text(reading.at, anchor: reader.anchor)): "
                + Self.text(initial.counts))
        for omission in initial.leftOut { StandardError.warn("left out: \(omission)") }
        if reading.cut > 0 {
            StandardError.warn(
                "\(Summary.count(Int64(reading.cut), "long command")) could not be read, whose bytes "
                    + "were deleted: what they changed is missing")
        }
        return initial
    }

    /// `at 12.500 s, 2026-11-21T17:00:12.500Z`.
    private static func text(_ at: Instant?, anchor: Int64) -> String {
        guard let at else { return "at its end" }
        let moment = at.nanoseconds.addingReportingOverflow(anchor).partialValue
        let clock = Timestamp(unixNanoseconds: moment).text(digits: 3)
        return "at \(TimeSpan.clock(at.nanoseconds)) s, \(clock)"
    }

    /// `2 buckets with 14 objects and 30 changes; 1 project with 5 cases …; 1 user`.
    private static func text(_ counts: InitialState.Counts) -> String {
        func count(_ number: Int, _ noun: String) -> String { Summary.count(Int64(number), noun) }
        var parts: [String] = []
        if counts.buckets > 0 {
            parts.append(
                "\(count(counts.buckets, "bucket")) with \(count(counts.objects, "object")) and "
                    + count(counts.changes, "logged change"))
        }
        if counts.projects > 0 {
            parts.append(
                "\(count(counts.projects, "project")) with \(count(counts.cases, "case")), "
                    + "\(count(counts.forms, "form")) and "
                    + count(counts.syncTokens, "sync token"))
        }
        parts.append(count(counts.users, "user"))
        return parts.joined(separator: "; ")
    }
}
