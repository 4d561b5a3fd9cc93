import Faults
import Filters
import Interception
import Proxying
import Sessions
import SyncServers
import Trace

/// A failure as the user sees it: one line, and an exit status.
struct Failure: Error {
    /// Exit statuses, as sysexits names them; part of the command line's contract.
    enum Status: Int32, CaseIterable {
        /// The thing checked did not hold.
        case failed = 1
        /// The command line is wrong.
        case usage = 64
        /// The input is wrong.
        case data = 65
        /// A file cannot be opened.
        case noInput = 66
        /// A peer is unreachable.
        case unavailable = 69
        /// An internal error.
        case software = 70
        /// Reading or writing failed.
        case io = 74
        /// It may work later.
        case temporary = 75
    }

    let status: Status
    /// The message: what happened, to what, and what to do.
    let detail: String
    /// What is wrong with a text that somebody edited; nil for other failures.
    var mistake: EditableTextError?

    init(_ status: Status, _ detail: String) {
        self.status = status
        self.detail = detail
    }
}

extension Failure {
    init(_ error: TraceError) {
        let status: Status =
            switch error.code {
            case .notATrace, .newerFormat, .olderFormat: .data
            case .busy: .temporary
            case .cannotOpen: .noInput
            default: .io
            }
        self.init(status, error.reason)
    }

    init(_ error: SessionError) {
        switch error {
        case .trace(let error): self.init(error)
        case .missing(let detail): self.init(.data, detail)
        }
    }

    init(_ error: InterceptionError) {
        self.init(error.code == .damaged ? .data : .io, error.reason)
    }

    init(_ error: ProxyError) { self.init(.io, error.reason) }

    init(_ error: FilterError, in text: String) { self.init(.usage, error.report(in: text)) }
}
