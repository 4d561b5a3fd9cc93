internal import Simperium

/// The change version that a server takes the client of a channel to be at, from what it got and
/// sent on it.
///
/// Each change that it sends comes right after that, which gives the order of the changes of a
/// bucket.
struct ChannelProgress: Sendable {
    /// The change version; nil where it is unknown.
    private(set) var cv: String?
    /// Since which changes were requested, where that is not answered.
    private var requested: String?
    /// Whether the first page of an index is due.
    private var awaitsIndex = false

    /// The server got a command of the client.
    mutating func got(_ body: SimperiumBody<Range<Int>>?) {
        switch body {
        case .initialize(let request):
            self = Self()
            switch request.request {
            case .changesSince(let cv): requested = cv
            case .index(let index): awaitsIndex = index.mark == nil
            default: break
            }
        case .changesSince(let cv): requested = cv
        case .indexRequest(let request) where request.mark == nil: awaitsIndex = true
        default: break
        }
    }

    /// The server sent a command to the client.
    ///
    /// - Returns: The changes that were made, each with the change version before it, where that is
    ///   known.
    mutating func sent(
        _ body: SimperiumBody<Range<Int>>?
    ) -> [(previous: String?, change: SimperiumChange<Range<Int>>)] {
        switch body {
        case .indexPage(let page):
            guard awaitsIndex else { return [] }
            awaitsIndex = false
            if let current = page.current, !current.isEmpty { cv = current }
        case .unknownChangeVersion:
            requested = nil
            cv = nil
        case .changes(let changes):
            let made = changes.filter { $0.error == nil && $0.cv != nil }
            // Refusals alone answer changes, not `cv`.
            guard !made.isEmpty || changes.isEmpty else { return [] }
            if let since = requested { cv = since }
            requested = nil
            return made.map { change in
                defer { cv = change.cv }
                return (cv, change)
            }
        default: break
        }
        return []
    }
}
