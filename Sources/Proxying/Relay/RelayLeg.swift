import Framing
import Wire

/// A server leg as the relay sees it.
struct RelayLeg {
    let id: LegID
    let address: ServerAddress
    /// Whether what passes is written to the trace.
    let isRecorded: Bool
    /// Whether it can be written to.
    var isReady = false
    /// What is to be sent as soon as it can be.
    var held: [UInt8] = []
    /// Whether the client has ended before the leg was ready.
    var endsWhenReady = false
    /// Whether the server will send no more.
    var hasEnded = false
    var responses = HTTPFramer(role: .response)
    var scan = MessageScan()
}

/// What is remembered of one direction between reads.
struct MessageScan {
    /// Bytes of a head that is not complete, as the reads delivered them.
    var partial: [HeldBytes] = []
    /// Whether the framer is past a head and before the end of its message.
    var isInBody = false
    /// Whether the direction can not be framed any more.
    var isOpaque = false
    /// Bytes given to the framer so far.
    var offset: Int64 = 0

    /// Number of bytes held back.
    var heldCount: Int { partial.reduce(0) { $0 + $1.bytes.count } }
}

/// Bytes of one read that wait, and where they belong.
struct HeldBytes {
    var bytes: ArraySlice<UInt8>
    let at: Instant
    /// Offset in the stream of the first of them.
    var start: Int64
    /// Who made them.
    var origin = Chunk.Origin.peer

    /// The patches, given by stream offset, that fall into these bytes; one that reaches over the
    /// end is cut there, and its rest belongs to the next bytes.
    func own(_ patches: [Patch], from base: Int64) -> [Patch] {
        guard !patches.isEmpty else { return [] }
        let end = start + Int64(bytes.count)
        return patches.compactMap { patch in
            let first = base + Int64(patch.offset)
            let last = first + Int64(patch.removed)
            let isHere = first >= start && first < end
            let from = max(first, start)
            let to = min(last, end)
            guard isHere || from < to else { return nil }
            return Patch(
                offset: Int(from - start), removed: Int(max(0, to - from)),
                inserted: isHere ? patch.inserted : [], reason: patch.reason)
        }
    }
}

/// A request that was forwarded and is not answered.
struct RelayRequest {
    let leg: LegID
    let kind: HTTPRequestKind
    /// Whether it asks for another protocol.
    let isUpgrade: Bool
    /// How the client names the proxy, to lead it back there.
    let proxyName: String
    /// The answer, where Tapedeck gives it.
    var local: LocalAnswer?
}

/// An answer in the server's name, which waits for its turn.
struct LocalAnswer {
    let bytes: [UInt8]
    /// Whether the connection is closed behind it.
    let closes: Bool
}
