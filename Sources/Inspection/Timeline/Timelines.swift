internal import Filters
internal import Synchronization

/// The timelines of a trace: that of all rows, and those of filters that pages ask for.
final class Timelines: Sendable {
    private struct Filtered {
        let text: String
        let keeper: TimelineKeeper
    }

    /// Filters of which maps are kept: those of the last pages.
    static let most = 4

    /// That of all rows.
    let all: TimelineKeeper
    private let desk: TraceDesk
    /// The one asked for last stands at the end.
    private let filtered = Mutex<[Filtered]>([])

    /// Timelines that are read on two desks: that of all rows on `desk`, those of filters on `filteringDesk`.
    init(_ desk: TraceDesk, filtering filteringDesk: TraceDesk) {
        all = TimelineKeeper(desk)
        self.desk = filteringDesk
    }

    /// The one of a filter.
    ///
    /// - Parameters:
    ///   - filter: The filter; nil for none.
    ///   - text: Its text.
    /// - Returns: Its timeline, which is kept for later.
    func keeper(_ filter: Filter?, _ text: String) -> TimelineKeeper {
        guard let filter else { return all }
        return filtered.withLock { filtered in
            let known = filtered.firstIndex { $0.text == text }.map { filtered.remove(at: $0) }
            let wanted =
                known ?? Filtered(text: text, keeper: TimelineKeeper(desk, filter: filter))
            filtered.append(wanted)
            while filtered.count > Self.most { filtered.removeFirst().keeper.stop() }
            return wanted.keeper
        }
    }

    /// Ends readings that are going on.
    func stop() {
        all.stop()
        for each in filtered.withLock({ $0 }) { each.keeper.stop() }
    }
}
