import NIOCore
import NIOPosix
import Platform
import Synchronization

/// The names that are being looked up, none of which outlives the proxy.
///
/// The system's resolver blocks and cannot be called off: what it finds after ``stop()`` is for nobody, since
/// the event loops are gone by then. One that takes long holds up no other.
final class NameLookups: Sendable {
    /// Why a name has no address.
    struct Unknown: Error, CustomStringConvertible {
        let description: String
    }

    /// What waits for a name.
    private struct Waiting {
        let ipv4: EventLoopPromise<[SocketAddress]>
        let ipv6: EventLoopPromise<[SocketAddress]>

        func fail(_ error: any Error) {
            ipv6.fail(error)
            ipv4.fail(error)
        }
    }

    private struct State {
        var isOver = false
        var last = 0
        var waiting: [Int: Waiting] = [:]
    }

    private let state = Mutex(State())
    private let lookup: Lookup

    /// What the system's resolver knows of a name; blocks.
    typealias Lookup = @Sendable (_ host: String, _ port: Int) -> Result<[SocketAddress], Unknown>

    /// - Parameter lookup: Asks for the addresses of one name.
    init(_ lookup: @escaping Lookup = { HostLookup.addresses(of: $0, port: $1) }) {
        self.lookup = lookup
    }

    /// Looks a name up.
    ///
    /// - Returns: Its addresses of both kinds, either of which may be empty; an ``Unknown`` where there is
    ///   none.
    fileprivate func look(
        up host: String, port: Int, on eventLoop: any EventLoop
    ) -> (ipv4: EventLoopFuture<[SocketAddress]>, ipv6: EventLoopFuture<[SocketAddress]>) {
        let waiting = Waiting(ipv4: eventLoop.makePromise(), ipv6: eventLoop.makePromise())
        let number = state.withLock { state -> Int? in
            guard !state.isOver else { return nil }
            state.last += 1
            state.waiting[state.last] = waiting
            return state.last
        }
        if let number {
            BlockingWork.start("name") { [self] in finish(number, lookup(host, port)) }
        } else {
            waiting.fail(Self.over)
        }
        return (waiting.ipv4.futureResult, waiting.ipv6.futureResult)
    }

    private func finish(_ number: Int, _ found: Result<[SocketAddress], Unknown>) {
        // Within the lock, so that the loop still is there.
        state.withLock { state in
            guard let waiting = state.waiting.removeValue(forKey: number) else { return }
            switch found {
            case .success(let addresses):
                // The order in which they are wanted: the first kind is tried at once.
                waiting.ipv6.succeed(addresses.filter { $0.protocol == .inet6 })
                waiting.ipv4.succeed(addresses.filter { $0.protocol == .inet })
            case .failure(let error): waiting.fail(error)
            }
        }
    }

    /// Nothing is looked up any more; to be called while the event loops are there.
    func stop() {
        state.withLock { state in
            state.isOver = true
            for waiting in state.waiting.values { waiting.fail(Self.over) }
            state.waiting = [:]
        }
    }

    private static let over = Unknown(description: "the proxy stops")

    /// What looks up one name for a connection.
    func resolver(on eventLoop: any EventLoop) -> any Resolver & Sendable {
        NameLookup(lookups: self, eventLoop: eventLoop)
    }
}

/// One lookup, which is begun by the question for IPv6, the first of the two.
private final class NameLookup: Resolver, Sendable {
    private let lookups: NameLookups
    private let eventLoop: any EventLoop
    private let ipv4 = Mutex<EventLoopFuture<[SocketAddress]>?>(nil)

    init(lookups: NameLookups, eventLoop: any EventLoop) {
        self.lookups = lookups
        self.eventLoop = eventLoop
    }

    func initiateAAAAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        let found = lookups.look(up: host, port: port, on: eventLoop)
        ipv4.withLock { $0 = found.ipv4 }
        return found.ipv6
    }

    func initiateAQuery(host: String, port: Int) -> EventLoopFuture<[SocketAddress]> {
        ipv4.withLock { $0 } ?? lookups.look(up: host, port: port, on: eventLoop).ipv4
    }

    func cancelQueries() {}
}
