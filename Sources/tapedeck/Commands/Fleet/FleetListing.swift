import ArgumentParser
import Filters
import Fleet
import Formats
import Foundation
import Trace

/// `ls` and `tail` of a fleet in place of a trace.
struct FleetListing {
    let reader: FleetReader
    let filter: Filter?

    /// A listing of the fleet at `address`.
    init(
        _ address: String, _ options: FleetOptions, _ filter: Filter?
    ) throws(Failure) {
        self.filter = filter
        let password = try options.password()
        do throws(FleetError) {
            reader = try FleetReader(
                ClickHouse(FleetAddress(parsing: address), password: password))
        } catch {
            throw Failure(error)
        }
    }

    /// Whether the argument names a fleet, and not a trace.
    static func isAddress(_ argument: String) -> Bool {
        argument.hasPrefix(FleetAddress.scheme)
    }

    /// Prints lines; returns whether there was any.
    func printLines(
        side: LineSide, limit: Int?, isJSON: Bool, times: TimeNotation
    ) throws(Failure) -> Bool {
        let printer = LinePrinter(isJSON: isJSON, times: times)
        var isEmpty = true
        try forEach(side, limit: limit, showsSockets: !isJSON) { line in
            isEmpty = false
            printer.print(line)
        }
        printer.flush()
        return !isEmpty
    }

    /// Passes on the lines, with what the server says turned into one line for the user.
    func forEach(
        _ side: LineSide, limit: Int?, showsSockets: Bool = false, _ body: (FleetLine) -> Void
    ) throws(Failure) {
        let lines = FleetLines(
            reader, FleetQuestion(filter, side: side), showsSockets: showsSockets)
        do throws(FleetError) {
            try lines.forEach(limit: limit) { line in
                body(line)
                return true
            }
        } catch {
            throw Failure(error)
        }
    }

    /// The statistics by `columns`: the server's, or ours where it does not have the values.
    func statistics(by columns: [ListColumn], side: LineSide) throws(Failure) -> ListTable {
        do throws(FleetError) {
            let asked = FleetStatistics(reader, FleetQuestion(filter, side: side))
            if let table = try asked.table(by: columns) { return table }
        } catch {
            throw Failure(error)
        }
        var statistics = RowStatistics(by: columns)
        try forEach(side, limit: nil) { statistics.add(ListedRow($0)) }
        return ListTable(statistics)
    }

    /// Prints what arrives, until `isOver`.
    func follow(
        fromStart: Bool, isJSON: Bool, times: TimeNotation, until isOver: Flagged
    ) async throws {
        let printer = LinePrinter(isJSON: isJSON, times: times)
        var tail: FleetTail
        do throws(FleetError) {
            tail = try FleetTail(reader, FleetQuestion(filter), fromStart: fromStart)
        } catch {
            throw Failure(error)
        }
        while !isOver.isSet {
            do throws(FleetError) {
                try tail.poll { printer.print($0) }
            } catch {
                printer.flush()
                // A server that is away for a while is asked again.
                guard error.mayPass else { throw Failure(error) }
            }
            printer.flush()
            try? await Task.sleep(nanoseconds: 500_000_000)
        }
    }
}

extension ListedRow {
    /// The row of a line of a fleet.
    init(_ line: FleetLine) {
        self.init(
            line.line, since: line.session.startedUnixNanoseconds, rules: line.rules,
            recorder: line.session.recorder)
    }
}
