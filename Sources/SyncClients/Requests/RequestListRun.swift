public import HTTPLayer
internal import Synchronization

/// Plays a ``RequestList`` through the HTTP layer.
public struct RequestListRun: Sendable {
    /// Something that happened.
    public struct Report: Sendable {
        /// Nanoseconds since the start.
        public var atNanoseconds: Int64
        /// What.
        public var event: Event
    }

    /// What happened.
    public enum Event: Sendable {
        /// A request was answered, or failed for good; with its number, from 1, and its line.
        case answered(number: Int, line: Int, Response)
        /// The program went to the background, or came back.
        case lifecycle(Lifecycle)
        /// Whether requests are sent in the background from now on.
        case backgroundTasks(Bool)
        /// All steps are done; so many requests are still open.
        case waiting(Int)
    }

    private let list: RequestList
    private let manager: HTTPManager

    /// A run of a list.
    ///
    /// - Parameters:
    ///   - list: The list.
    ///   - manager: Where its requests are added, in the order of the list.
    public init(_ list: RequestList, manager: HTTPManager) {
        self.list = list
        self.manager = manager
    }

    /// Does all steps at their times, and waits until all requests are answered.
    ///
    /// - Parameter report: Called for each event, in order, one at a time.
    /// - Returns: The number of requests without success.
    public func run(_ report: (Report) -> Void) async -> Int {
        let (reports, feed) = AsyncStream.makeStream(of: Report.self)
        let start = ContinuousClock.now
        let say = { @Sendable (event: Event) in
            let elapsed = start.duration(to: .now).components
            let nanoseconds = elapsed.seconds * 1_000_000_000 + elapsed.attoseconds / 1_000_000_000
            feed.yield(Report(atNanoseconds: nanoseconds, event: event))
        }
        let open = Mutex(list.count)
        let steps = Task { [list, manager] in
            var number = 0
            for step in list.steps {
                if let time = step.time {
                    guard (try? await Task.sleep(until: start + .nanoseconds(time))) != nil else {
                        return
                    }
                }
                switch step.action {
                case .add(let request):
                    number += 1
                    let (place, line) = (number, step.line)
                    manager.add(request) { response in
                        open.withLock { $0 -= 1 }
                        say(.answered(number: place, line: line, response))
                    }
                // Said first: an answer that this allows comes on another thread.
                case .lifecycle(let lifecycle):
                    say(.lifecycle(lifecycle))
                    manager.lifecycle = lifecycle
                case .backgroundTasks(let isOn):
                    say(.backgroundTasks(isOn))
                    manager.isBackgroundTaskEnabled = isOn
                }
            }
            say(.waiting(open.withLock(\.self)))
        }
        defer { steps.cancel() }
        var (answered, failed, isOver) = (0, 0, false)
        for await next in reports {
            report(next)
            switch next.event {
            case .answered(_, _, let response):
                answered += 1
                if !response.isSuccess { failed += 1 }
            case .waiting: isOver = true
            case .lifecycle, .backgroundTasks: break
            }
            if isOver, answered == list.count { break }
        }
        return failed
    }
}
