internal import Capturing
internal import Trace
internal import Wire

/// Packets of one connection of a trace, in the making.
struct SynthesizedConnection {
    private let row: ConnectionRow
    private let ends: ConnectionEnd
    private let started: Int64
    private var server: SynthesizedConversation?
    /// What was sent to the proxy itself before a tunnel.
    private var proxy: SynthesizedConversation?
    /// Bytes of each sender that belong to ``proxy``.
    private var heads: [Tunnel.Head?] = [nil, nil]
    private var isDecrypted = false
    private var resetter: Peer?
    /// Whether nothing more can come.
    private(set) var isOver = false

    /// A connection whose session began at `startedUnixNanoseconds`.
    init(_ row: ConnectionRow, ends: ConnectionEnd, startedUnixNanoseconds: Int64) {
        self.row = row
        self.ends = ends
        started = startedUnixNanoseconds
    }

    /// The client requested a tunnel.
    mutating func add(_ tunnel: Tunnel) { heads = [tunnel.request, tunnel.response] }

    /// Writes what was received of a chunk; gives how many bytes that was.
    mutating func take(
        _ chunk: Chunk, id: Int64, _ file: PacketFile
    ) throws(FileError) -> Int64 {
        let bytes = chunk.received
        let at = unix(chunk.at)
        let said = proxyPart(of: bytes, id: id, chunk.sender)
        if !said.isEmpty {
            try begin(
                \.proxy, to: ends.listener, at: row.at,
                "requests a tunnel from the "
                    + "proxy", file)
            try file.add(proxy?.send(Array(bytes[said]), from: chunk.sender, at: at) ?? [])
            if chunk.sender == .server, heads[1] == nil {
                // From here on both have other contents.
                try file.add(
                    (proxy?.end(.client, at: at) ?? []) + (proxy?.end(.server, at: at) ?? []))
            }
        }
        for part in [bytes[..<said.lowerBound], bytes[said.upperBound...]] where !part.isEmpty {
            try beginServer(at: chunk.at, file)
            try file.add(server?.send(Array(part), from: chunk.sender, at: at) ?? [])
        }
        return Int64(bytes.count)
    }

    /// Leaves out the numbers of missing bytes; gives how many that are.
    mutating func take(_ gap: GapRow, _ file: PacketFile) throws(FileError) -> Int64 {
        guard let sender = gap.sender, gap.count > 0 else { return 0 }
        let count = min(gap.count, SynthesizedConversation.longestGap)
        let at = unix(gap.until)
        try beginServer(at: gap.at, file)
        try file.add(server?.miss(count, from: sender, at: at) ?? [])
        return count
    }

    /// Ends the connection as it ended.
    mutating func take(_ event: EventRow, _ file: PacketFile) throws(FileError) {
        let isServer = event.leg.map { ends.serverLegs.contains($0) } ?? false
        let isSeen = row.mode == .capture
        let at = unix(event.at)
        switch event.kind {
        case .tls: isDecrypted = true
        case .ended where !isServer || isSeen:
            // Behind a proxy another server, or the proxy itself, may continue for one that ended.
            try beginServer(at: event.at, file)
            try file.add(server?.end(isServer ? .server : .client, at: at) ?? [])
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
        isOver = true
        // The end of these was not seen.
        let endless: [StreamEvent.Closing] = [.captureEnded, .idle, .replaced]
        guard !endless.contains(where: { $0.rawValue == event.detail }) else { return }
        if proxy == nil { try beginServer(at: event.at, file) }
        let at = unix(event.at)
        if let resetter {
            try file.add(server?.reset(by: resetter, at: at) ?? [])
        } else {
            try file.add(
                (server?.end(.server, at: at) ?? []) + (server?.end(.client, at: at) ?? []))
        }
    }

    // MARK: Bytes

    /// The part of a chunk that was sent to, or by, the proxy itself.
    private mutating func proxyPart(
        of bytes: [UInt8], id: Int64, _ sender: Peer
    ) -> Range<Int> {
        let none = bytes.count..<bytes.count
        guard let head = heads[sender.rawValue], id >= head.chunk else { return none }
        let start = id == head.chunk ? min(max(0, head.offset), bytes.count) : 0
        let end = start + min(head.count, bytes.count - start)
        let left = head.count - (end - start)
        heads[sender.rawValue] =
            left > 0 ? Tunnel.Head(chunk: head.chunk, offset: 0, count: left) : nil
        return start..<end
    }

    private mutating func beginServer(at: Instant, _ file: PacketFile) throws(FileError) {
        let name = ends.serverName.isEmpty ? "" : " to \(ends.serverName)"
        let detail = isDecrypted ? "\(name), TLS decrypted" : name
        try begin(
            \.server, to: ends.server, at: proxy == nil ? row.at : at,
            "\(row.mode == .capture ? "captured" : "recorded")\(detail)", file)
    }

    private mutating func begin(
        _ conversation: WritableKeyPath<Self, SynthesizedConversation?>, to end: Endpoint,
        at: Instant,
        _ detail: String, _ file: PacketFile
    ) throws(FileError) {
        guard self[keyPath: conversation] == nil else { return }
        var begun = SynthesizedConversation(
            client: ends.client, server: end, number: row.id.rawValue)
        if !ends.serverName.isEmpty { try file.name(ends.server.address, ends.serverName) }
        let segments = begun.open(at: unix(at))
        self[keyPath: conversation] = begun
        try file.add(
            segments,
            comment: "connection \(row.id): \(detail); TCP and IP headers are synthesized")
    }

    /// Wraps around rather than ends the program where a trace has a time that cannot be.
    private func unix(_ at: Instant) -> Int64 { started &+ at.nanoseconds }
}
