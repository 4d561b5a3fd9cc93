internal import Capturing
internal import Trace
internal import Wire

/// The packets of one side of a connection, in the making: what one peer sent and got.
struct SynthesizedSide {
    /// Bytes that went on later than they were read.
    private struct Late {
        var bytes: [UInt8]
        var sender: Peer
        var at: Instant
    }

    private let peer: Peer
    private let row: ConnectionRow
    private let ends: ConnectionEnd
    private let started: Int64
    private var server: SynthesizedConversation?
    /// What was sent to the proxy itself before a tunnel.
    private var proxy: SynthesizedConversation?
    /// Bytes of each sender that belong to ``proxy``.
    private var heads: [Tunnel.Head?] = [nil, nil]
    /// What is due, the first first.
    private var late: [Late] = []
    private var isDecrypted = false

    /// What `peer` had of a connection whose session began at `startedUnixNanoseconds`.
    init(
        of peer: Peer, _ row: ConnectionRow, ends: ConnectionEnd, startedUnixNanoseconds: Int64
    ) {
        self.peer = peer
        self.row = row
        self.ends = ends
        started = startedUnixNanoseconds
    }

    /// The client requested a tunnel.
    ///
    /// Where the proxy's address is also that of the server, as in a capture between the client and
    /// the proxy, there was one connection, and a second between the same ends would be taken for
    /// retransmissions of it.
    mutating func add(_ tunnel: Tunnel) {
        guard ends.listener != ends.server else { return }
        heads = [tunnel.request, tunnel.response]
    }

    /// TLS was decrypted.
    mutating func noteTLS() { isDecrypted = true }

    /// Whether a conversation with the proxy alone has begun.
    var isOfProxyAlone: Bool { proxy != nil }

    // MARK: Bytes

    /// Writes what the peer had of a chunk, and keeps what it had later; gives how many bytes that
    /// was.
    mutating func take(
        _ chunk: Chunk, id: Int64, _ file: PacketFile
    ) throws(FileError) -> Int64 {
        let view = ChunkView(of: chunk, hadBy: peer)
        let said = proxyPart(of: view, id: id, chunk.sender)
        if !said.isEmpty {
            try begin(
                \.proxy, to: ends.listener, at: row.at, "requests a tunnel from the proxy", file)
            let at = unix(chunk.at)
            try file.add(proxy?.send(Array(view.bytes[said]), from: chunk.sender, at: at) ?? [])
            if chunk.sender == .server, heads[1] == nil {
                // From here on both have other contents.
                try file.add(
                    (proxy?.end(.client, at: at) ?? []) + (proxy?.end(.server, at: at) ?? []))
            }
        }
        for part in [0..<said.lowerBound, said.upperBound..<view.bytes.count] {
            for (range, at) in Self.times(of: part, in: view) {
                let bytes = Array(view.bytes[range])
                if at > chunk.at {
                    let index = late.firstIndex { $0.at > at } ?? late.count
                    late.insert(Late(bytes: bytes, sender: chunk.sender, at: at), at: index)
                } else {
                    try send(bytes, from: chunk.sender, at: chunk.at, file)
                }
            }
        }
        return Int64(view.bytes.count)
    }

    /// The parts of `range` of a view that the peer had at different times.
    private static func times(
        of range: Range<Int>, in view: ChunkView
    ) -> [(Range<Int>, Instant)] {
        var parts: [(Range<Int>, Instant)] = []
        for (index, segment) in view.segments.enumerated() {
            let next = index + 1 < view.segments.count ? view.segments[index + 1].start : nil
            let part = (segment.start..<(next ?? view.bytes.count)).clamped(to: range)
            guard !part.isEmpty else { continue }
            if let last = parts.last, last.1 == segment.at {
                parts[parts.count - 1].0 = last.0.lowerBound..<part.upperBound
            } else {
                parts.append((part, segment.at))
            }
        }
        return parts
    }

    private mutating func send(
        _ bytes: [UInt8], from sender: Peer, at: Instant, _ file: PacketFile
    ) throws(FileError) {
        try begin(at: at, file)
        let at = unix(at)
        try file.add(server?.send(bytes, from: sender, at: at) ?? [])
    }

    /// Writes what was due until `now`; all of it where that is nil.
    mutating func pass(_ now: Instant?, _ file: PacketFile) throws(FileError) {
        while let first = late.first, now.map({ first.at <= $0 }) ?? true {
            late.removeFirst()
            try send(first.bytes, from: first.sender, at: first.at, file)
        }
    }

    /// The part of a chunk that was sent to, or by, the proxy itself.
    private mutating func proxyPart(
        of view: ChunkView, id: Int64, _ sender: Peer
    ) -> Range<Int> {
        let count = view.bytes.count
        guard let head = heads[sender.rawValue], id >= head.chunk else { return count..<count }
        let start = id == head.chunk ? view.index(of: head.offset) : 0
        let end = start + min(head.count, count - start)
        let left = head.count - (end - start)
        heads[sender.rawValue] =
            left > 0 ? Tunnel.Head(chunk: head.chunk, offset: 0, count: left) : nil
        return start..<end
    }

    /// Leaves out the numbers of missing bytes.
    mutating func miss(
        _ count: Int64, from sender: Peer, _ gap: GapRow, _ file: PacketFile
    ) throws(FileError) {
        try begin(at: gap.at, file)
        let until = unix(gap.until)
        try file.add(server?.miss(count, from: sender, at: until) ?? [])
    }

    // MARK: Beginning and ending

    /// Begins, unless it has.
    mutating func begin(at: Instant, _ file: PacketFile) throws(FileError) {
        let name = ends.serverName.isEmpty ? "" : " to \(ends.serverName)"
        let detail = isDecrypted ? "\(name), TLS decrypted" : name
        let what = row.mode == .capture ? "captured" : "recorded"
        try begin(
            \.server, to: ends.server, at: proxy == nil ? row.at : at,
            peer == .client ? what + detail : "what the server had, \(what)\(detail)", file)
    }

    private mutating func begin(
        _ conversation: WritableKeyPath<Self, SynthesizedConversation?>, to end: Endpoint,
        at: Instant, _ detail: String, _ file: PacketFile
    ) throws(FileError) {
        guard self[keyPath: conversation] == nil else { return }
        let number = row.id.rawValue
        var begun =
            peer == .client
            ? SynthesizedConversation(client: ends.client, server: end, number: number)
            : SynthesizedConversation(
                client: SynthesizedAddress.proxy(number), server: end, number: ~number)
        if !ends.serverName.isEmpty { try file.name(ends.server.address, ends.serverName) }
        let segments = begun.open(at: unix(at))
        self[keyPath: conversation] = begun
        try file.add(
            segments,
            comment: "connection \(row.id): \(detail); TCP and IP headers are synthesized")
    }

    /// `sender` closes its side.
    mutating func end(_ sender: Peer, at: Instant, _ file: PacketFile) throws(FileError) {
        let at = unix(at)
        try file.add(server?.end(sender, at: at) ?? [])
    }

    /// `sender` breaks the connection off.
    mutating func reset(by sender: Peer, at: Instant, _ file: PacketFile) throws(FileError) {
        let at = unix(at)
        try file.add(server?.reset(by: sender, at: at) ?? [])
    }

    /// Wraps around rather than ends the program where a trace has a time that cannot be.
    private func unix(_ at: Instant) -> Int64 { started &+ at.nanoseconds }
}
