public import Wire

/// What a gate decided about bytes it was given, in order.
///
/// Every byte that a gate was given comes out of it once: passed, replaced or kept. `sender` is who
/// sent the bytes or in whose name they are made.
public enum GateCommand: Hashable, Sendable {
    /// Bytes that are forwarded unchanged.
    case pass(sender: Peer, [UInt8])
    /// Bytes in whose place the receiver gets others; none of them where `by` is empty.
    case replace(sender: Peer, [UInt8], by: [UInt8])
    /// Bytes that Tapedeck consumes in the receiver's place: written to the trace, not forwarded.
    case keep(sender: Peer, [UInt8])
    /// Injected bytes, which the receiver gets and no peer sent.
    case make(sender: Peer, [UInt8])
    /// The answer to the request that was kept before it, to be sent in the order of requests, and
    /// whether the connection is closed after it.
    case answer([UInt8], closes: Bool)
    /// The oldest request that was passed or made and is not answered will get no answer here,
    /// since its answer was swallowed; comes after the `replace` that took the last of its bytes.
    case swallowed
    /// Statement about what was done; it belongs to the bytes of the next command that has some,
    /// or where none follows, to the last ones.
    case fault(FaultRow)
    /// The next request of the client goes to this server; it comes before the bytes of that, of which
    /// the head comes in one command.
    case route(to: GateContext.Server)
    /// What follows from this sender waits until somebody decided about this message, whose bytes come
    /// in the next `replace`.
    case park(HeldMessage)
    /// What follows from this sender is forwarded no earlier than `at`; what was received before is
    /// not delayed.
    case hold(sender: Peer, until: Instant)
    /// Nothing more of this sender is forwarded, and it is not read from; the connections stay
    /// open.
    case stall(sender: Peer)
    /// Half-closes towards the receiver of this sender's bytes.
    case end(sender: Peer)
    /// All legs are closed, by a reset where requested.
    case close(isReset: Bool)
    /// The gate is to be called again at this time.
    case wake(at: Instant)
}

extension GateCommand {
    /// Whose bytes it is about; nil where it belongs to what was judged.
    public var sender: Peer? {
        switch self {
        case .pass(let sender, _), .replace(let sender, _, _), .keep(let sender, _),
            .make(let sender, _), .hold(let sender, _), .stall(let sender), .end(let sender):
            sender
        case .park(let held): held.sender
        case .route: .client
        case .answer, .swallowed, .fault, .close, .wake:
            nil
        }
    }

    /// The bytes among those that the gate was given that it is about.
    public var received: [UInt8] {
        switch self {
        case .pass(_, let bytes), .replace(_, let bytes, _), .keep(_, let bytes): bytes
        case .make, .answer, .swallowed, .route, .park, .fault, .hold, .stall, .end, .close, .wake:
            []
        }
    }

    /// How many bytes wait where it waits.
    public var byteCount: Int {
        switch self {
        case .pass(_, let bytes), .make(_, let bytes), .answer(let bytes, _), .keep(_, let bytes):
            bytes.count
        case .replace(_, let bytes, let others):
            bytes.count + others.count
        case .swallowed, .route, .park, .fault, .hold, .stall, .end, .close, .wake:
            0
        }
    }
}
