import ArgumentParser
import Filters
import Fleet
import Formats
import Sessions
import Trace
import Wire

/// `tapedeck ls`.
struct ListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "List exchanges, Simperium commands and WebSocket messages in order of time.",
        discussion: """
            A filter is made of comparisons such as status:503, method:POST, host:*.example, \
            api:commcare.restore, bucket:notes, key:note1, command:c, sender:client, at:1s..3s, \
            size>10KiB, duration>200ms, header.user-agent~"okhttp", body~"needle", \
            text:"some words", joined by and, or, not and parentheses; words side by side mean and. \
            In place of a trace, clickhouse://[USER@]HOST[:PORT]/DATABASE is a fleet, whose rows have \
            label.NAME and recorder as well.

            Example: tapedeck ls app.tape 'status>=400 path:/a/*'
            """)

    @OptionGroup var arguments: FilterArguments

    @Flag(help: "Print a JSON object per line.")
    var json = false

    @Option(
        help: ArgumentHelp(
            "Print what the client had, what the server had, or all of both.",
            valueName: "client|server|all"))
    var side = ListedSide.client

    @Option(name: .shortAndLong, help: "Print at most this many lines.")
    var limit: Int?

    @OptionGroup var times: TimeOption

    @OptionGroup var tables: TableOptions

    @OptionGroup var fleet: FleetOptions

    @OptionGroup var paging: PagerOption

    func run() throws {
        if json, tables.csv { throw Failure(.usage, "--json and --csv exclude each other") }
        if let limit, limit < 0 { throw Failure(.usage, "--limit is at least 0") }
        let filter = try arguments.parsed()
        if FleetListing.isAddress(arguments.trace) { return try listFleet(filter) }
        if tables.isAsked {
            let reader = try arguments.open()
            if !json, !tables.csv { paging.begin() }
            return try printTable(filter, reader)
        }
        // They open the trace and read its first rows while this thread opens it as well.
        let lines = LineBatches(
            path: arguments.trace, filter, with: ListedMessages(for: filter), of: side.lines,
            json ? .texts : .shown, limit: limit)
        let reader = try arguments.open()
        let printer = LinePrinter(isJSON: json, times: times.time)
        if !json { paging.begin() }
        var isEmpty = true
        try reader.reading { reader throws(TraceError) in
            var texts = CommandTexts(reader: reader)
            try printer.learn(from: reader)
            printer.showSockets(of: side.lines)
            try printer.learnFindings(from: reader)
            try lines.forEachLine { line in
                isEmpty = false
                printer.print(line, &texts)
                return true
            }
        }
        printer.flush()
        if isEmpty { hint(filter) }
    }

    /// Lists a fleet in place of a trace.
    private func listFleet(_ filter: Filter?) throws {
        let listing = try FleetListing(arguments.trace, fleet, filter)
        if !json, !tables.csv { paging.begin() }
        if tables.isAsked {
            return try printTable(
                rows: { limit, body throws(Failure) in
                    try listing.forEach(side.lines, limit: limit) {
                        body(ListedRow($0), .fleet($0))
                    }
                },
                statistics: { columns throws(Failure) in
                    try listing.statistics(by: columns, side: side.lines)
                },
                lines: { lines in
                    let printer = LinePrinter(isJSON: json, times: times.time)
                    for case .fleet(let line) in lines { printer.print(line) }
                    printer.flush()
                })
        }
        let isFound = try listing.printLines(
            side: side.lines, limit: limit, isJSON: json, times: times.time)
        if !isFound { hint(filter) }
    }

    /// Says on standard error what may have been meant by a filter that no row fits.
    private func hint(_ filter: Filter?) {
        guard let filter, let hint = EmptyResult.hint(arguments.filterText, filter) else { return }
        Pager.finish()
        StandardError.warn(hint)
    }
}

/// `tapedeck tail`.
struct TailCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tail",
        abstract: "List exchanges, commands and WebSocket messages while they are being recorded.",
        discussion: """
            Prints what is recorded from now on, an exchange when it has ended; SIGINT or SIGTERM \
            ends it. The filter language is that of `tapedeck ls`; a fleet in place of a trace is \
            clickhouse://[USER@]HOST[:PORT]/DATABASE, and what arrives there is printed.

            Example: tapedeck tail app.tape api:commcare.submit
            """)

    @OptionGroup var arguments: FilterArguments

    @Flag(help: "Print a JSON object per line.")
    var json = false

    @Flag(help: "Begin with what is already in the trace.")
    var all = false

    @OptionGroup var times: TimeOption

    @OptionGroup var fleet: FleetOptions

    func run() async throws {
        let filter = try arguments.parsed()
        let isOver = Flagged()
        StopSignal().whenStopped { isOver.set() }
        if FleetListing.isAddress(arguments.trace) {
            return try await FleetListing(arguments.trace, fleet, filter).follow(
                fromStart: all, isJSON: json, times: times.time, until: isOver)
        }
        let reader = try arguments.open()
        let printer = LinePrinter(isJSON: json, times: times.time)
        var tail = try reader.reading { reader throws(TraceError) in
            try TraceTail(reader, filter: filter, fromStart: all)
        }
        while !isOver.isSet {
            try reader.reading { reader throws(TraceError) in
                var texts = CommandTexts(reader: reader)
                try printer.learn(from: reader)
                try tail.poll(reader) { printer.print($0, &texts) }
            }
            printer.flush()
            try? await Task.sleep(nanoseconds: 50_000_000)
        }
    }
}

/// Whose conversation is listed.
enum ListedSide: String, ExpressibleByArgument, CaseIterable {
    case client
    case server
    case all

    /// The same for a reader.
    var lines: LineSide {
        switch self {
        case .client: .client
        case .server: .server
        case .all: .all
        }
    }
}
