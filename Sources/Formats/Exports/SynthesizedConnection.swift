internal import Capturing
internal import Trace
internal import Wire

/// Packets of one connection of a trace, in the making.
struct SynthesizedConnection {
    private let row: ConnectionRow
    private let ends: ConnectionEnd
    /// The client's side, and the server's where they differ.
    private var sides: [SynthesizedSide]
    private var resetter: Peer?
    /// Whether nothing more can come.
    private(set) var isOver = false

    /// A connection whose session began at `startedUnixNanoseconds`; `differs` is whether its peers
    /// had different bytes or had them at different times.
    init(_ row: ConnectionRow, ends: ConnectionEnd, startedUnixNanoseconds: Int64, differs: Bool) {
        self.row = row
        self.ends = ends
        sides = (differs ? [.client, .server] : [Peer.client]).map {
            SynthesizedSide(
                of: $0, row, ends: ends, startedUnixNanoseconds: startedUnixNanoseconds)
        }
    }

    /// The client requested a tunnel.
    mutating func add(_ tunnel: Tunnel) {
        for index in sides.indices { sides[index].add(tunnel) }
    }

    /// Writes what each side had of a chunk; gives how many bytes that was.
    mutating func take(
        _ chunk: Chunk, id: Int64, _ file: PacketFile
    ) throws(FileError) -> Int64 {
        var count: Int64 = 0
        for index in sides.indices {
            try sides[index].pass(chunk.at, file)
            count += try sides[index].take(chunk, id: id, file)
        }
        return count
    }

    /// Leaves out the numbers of missing bytes; gives how many that are.
    mutating func take(_ gap: GapRow, _ file: PacketFile) throws(FileError) -> Int64 {
        guard let sender = gap.sender, gap.count > 0 else { return 0 }
        let count = min(gap.count, SynthesizedConversation.longestGap)
        for index in sides.indices {
            try sides[index].pass(gap.at, file)
            try sides[index].miss(count, from: sender, gap, file)
        }
        return count
    }

    /// Ends the connection as it ended.
    mutating func take(_ event: EventRow, _ file: PacketFile) throws(FileError) {
        let isServer = event.leg.map { ends.serverLegs.contains($0) } ?? false
        let isSeen = row.mode == .capture
        for index in sides.indices { try sides[index].pass(event.at, file) }
        switch event.kind {
        case .tls: for index in sides.indices { sides[index].noteTLS() }
        case .ended where !isServer || isSeen:
            // Behind a proxy another server, or the proxy itself, may continue for one that ended.
            try sides[0].begin(at: event.at, file)
            try sides[0].end(isServer ? .server : .client, at: event.at, file)
        case .closed:
            if event.detail == "reset" { resetter = resetter ?? (isServer ? .server : .client) }
            if isServer, !isSeen { return }
            try close(event, file)
        default: break
        }
    }

    private mutating func close(
        _ event: EventRow, _ file: PacketFile
    ) throws(FileError) {
        try finish(file)
        isOver = true
        // The end of these was not seen.
        let endless: [StreamEvent.Closing] = [.captureEnded, .idle, .replaced]
        guard !endless.contains(where: { $0.rawValue == event.detail }) else { return }
        if !sides[0].isOfProxyAlone { try sides[0].begin(at: event.at, file) }
        for index in sides.indices {
            if let resetter {
                try sides[index].reset(by: resetter, at: event.at, file)
            } else {
                for peer in [Peer.server, .client] {
                    try sides[index].end(peer, at: event.at, file)
                }
            }
        }
    }

    /// Writes what is due after everything else.
    mutating func finish(_ file: PacketFile) throws(FileError) {
        for index in sides.indices { try sides[index].pass(nil, file) }
    }
}
