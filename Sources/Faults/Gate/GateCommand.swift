public import Wire

/// What a gate decided about bytes it was given, in order.
///
/// Every byte that a gate was given comes out of it once: passed, replaced or kept. `sender` is who
/// sent the bytes or in whose name they are made.
public enum GateCommand: Hashable, Sendable {
    /// Bytes that go on as they came.
    case pass(sender: Peer, [UInt8])
    /// Bytes in whose place the receiver gets others; none of them where `by` is empty.
    case replace(sender: Peer, [UInt8], by: [UInt8])
    /// Bytes that Tapedeck takes in the receiver's place: written to the trace, not sent on. Where
    /// `readAs` is given, the trace shows these bytes in their place (a frame without compression).
    case keep(sender: Peer, [UInt8], readAs: [UInt8]?)
    /// Bytes that the receiver gets and nobody sent.
    case make(sender: Peer, [UInt8])
    /// The answer to the request that was kept before it, to be sent in the order of requests, and
    /// whether the connection is closed behind it.
    case answer([UInt8], closes: Bool)
    /// The oldest request that was passed or made and is not answered will get no answer here, since
    /// its answer was swallowed; comes behind the `replace` that took the last of its bytes.
    case swallowed
    /// Statement about what was done; it belongs to the bytes of the next command that has some,
    /// or where none follows, to the last ones.
    case fault(FaultRow)
    /// What follows from this sender goes on no earlier than `at`; what came before does.
    case hold(sender: Peer, until: Instant)
    /// Nothing more of this sender goes on, and it is read no further; the connections stay open.
    case stall(sender: Peer)
    /// The receiver of this sender's bytes is told that no more will come.
    case end(sender: Peer)
    /// All legs are closed; by a reset if told so.
    case close(isReset: Bool)
    /// The gate wants to be asked again at this moment.
    case wake(at: Instant)
}

extension GateCommand {
    /// Whose bytes it is about; nil where it belongs to what was judged.
    public var sender: Peer? {
        switch self {
        case .pass(let sender, _), .replace(let sender, _, _), .keep(let sender, _, _),
            .make(let sender, _), .hold(let sender, _), .stall(let sender), .end(let sender):
            sender
        case .answer, .swallowed, .fault, .close, .wake:
            nil
        }
    }

    /// How many bytes wait where it waits.
    public var byteCount: Int {
        switch self {
        case .pass(_, let bytes), .make(_, let bytes), .answer(let bytes, _),
            .keep(_, let bytes, _):
            bytes.count
        case .replace(_, let bytes, let others):
            bytes.count + others.count
        case .swallowed, .fault, .hold, .stall, .end, .close, .wake:
            0
        }
    }
}
