internal import Filters
internal import NIOCore
internal import Serving
internal import Synchronization
internal import Trace
internal import Wire

/// A trace that pages look at.
final class InspectedTrace: Sendable {
    /// Its number in paths, from 1.
    let id: Int
    /// The file.
    let path: String
    /// The socket of the recording's control interface, whether there is one or not.
    let controlPath: String
    /// Listings of it.
    let listings = Listings()
    /// Its timelines.
    let timelines: Timelines
    /// What was found in it.
    let findings: FindingsKeeper
    /// Which of that is known.
    let baseline: BaselineKeeper
    /// Reads what takes milliseconds.
    let desk: TraceDesk
    /// Reads what may take seconds.
    let slowDesk: TraceDesk
    private let fillingDesks: [TraceDesk]
    private let objects = Mutex(RowObjects())
    private let counted = Mutex(RowCounts())
    private let following = Mutex<[Task<Void, Never>]>([])

    /// A trace that is read on threads of this group.
    init(
        id: Int, _ trace: InspectionConfiguration.Trace, tools: any InspectionTools,
        on threads: any EventLoopGroup
    ) {
        self.id = id
        path = trace.path
        controlPath = trace.controlPath ?? "\(path).control"
        desk = TraceDesk(path: path, on: threads.next())
        slowDesk = TraceDesk(path: path, on: threads.next())
        fillingDesks = (0..<2).map { _ in TraceDesk(path: trace.path, on: threads.next()) }
        timelines = Timelines(
            slowDesk, filtering: TraceDesk(path: path, on: threads.next()))
        baseline = BaselineKeeper(
            path: trace.baselinePath ?? "\(path).baseline", tools: tools)
        findings = FindingsKeeper(path: path, baseline: baseline, tools: tools, desk: desk)
    }

    /// The last part of the path.
    var name: String { path.split(separator: "/").last.map(String.init) ?? path }

    /// Makes a listing, and begins to fill it.
    ///
    /// - Throws: ``ServedProblem`` where there are too many.
    func makeListing(_ filter: Filter?, _ side: LineSide) throws(ServedProblem) -> Listing {
        let listing = try listings.make(filter, side)
        let desk = fillingDesks[listing.id % fillingDesks.count]
        let reading = ListingReading(listing: listing, listings: listings, desk: desk)
        let task = Task { await reading.run() }
        following.withLock { tasks in
            tasks.append(task)
            // Those of listings that were dropped have ended.
            if tasks.count > 4 * Listings.most { tasks.removeFirst() }
        }
        return listing
    }

    /// Stops filling listings and reading timelines.
    func stop() {
        timelines.stop()
        for listing in listings.wanted { listings.drop(listing.id) }
        for task in following.withLock({ $0 }) { task.cancel() }
    }

    /// How many rows it has now.
    func counts(_ reader: TraceReader) throws(TraceError) -> TraceReader.Numbers {
        var counted = counted.withLock { $0 }
        try counted.advance(reader)
        self.counted.withLock { [counted] in $0 = counted }
        return counted.counts
    }

    /// The objects of lines, with what rules and findings say about them now.
    func objects(_ reader: TraceReader) throws(TraceError) -> RowObjects {
        var objects = objects.withLock { $0 }
        try objects.learn(from: reader)
        objects.learn(findings: findings.marks)
        self.objects.withLock { [objects] in $0 = objects }
        return objects
    }
}
