import Framing
import Notation
import Wire

@testable import Faults

/// A gate between two peers that exist in the test alone.
struct SocketStage {
    /// How messages travel.
    struct Way: Hashable, Sendable, CustomStringConvertible {
        var isSockJS = false
        var compression: PerMessageDeflate?

        var description: String {
            (isSockJS ? "SockJS" : "raw")
                + (compression.map { $0.serverNoContextTakeover ? ", alone" : ", with context" }
                    ?? "")
        }

        static let all: [Way] = [false, true].flatMap { isSockJS in
            [
                Way(isSockJS: isSockJS), Way(isSockJS: isSockJS, compression: .init()),
                Way(
                    isSockJS: isSockJS,
                    compression: .init(
                        serverNoContextTakeover: true, clientNoContextTakeover: true)),
            ]
        }
    }

    /// What one side reads of one sender.
    struct Reading {
        var texts: [String] = []
        var closes: [Int] = []
        var controls = 0
        var problems: [String] = []
    }

    let way: Way
    let session: FaultSession
    var gate: WebSocketGate
    var commands: [GateCommand] = []
    private(set) var sent: [[UInt8]] = [[], []]
    private var deflaters: [MessageDeflater?]
    private var draws = SplitMix64(seed: 99)

    init(
        _ way: Way = Way(), rules: [String] = [], seed: UInt64 = 1, path: String? = nil
    ) throws {
        self.way = way
        var plan = FaultPlan()
        for rule in rules { plan = try plan.adding(line: rule) }
        session = FaultSession(plan: plan, seed: seed)
        gate = WebSocketGate(
            GateContext(connection: ConnectionID(7), session: SessionID(1), client: "127.0.0.1"),
            path: path
                ?? (way.isSockJS
                    ? "/sock/1/notes-app/000/abc/websocket"
                    : "/sock/1/notes-app/websocket"),
            compression: way.compression, session: session)
        deflaters = Peer.allCases.map { peer in
            way.compression.flatMap {
                MessageDeflater(contextTakeover: $0.takesContextOver(peer))
            }
        }
    }

    /// The frames of a message with these commands, in so many fragments.
    mutating func frames(
        _ texts: [String], from sender: Peer, fragments: Int = 1, between: [UInt8]? = nil
    ) -> [UInt8] {
        let all = texts.map { Array($0.utf8) }
        let payload: [UInt8] =
            way.isSockJS
            ? (sender == .server ? [0x61] : []) + SockJSFrame.encode(client: all) : all[0]
        return frames(payload: payload, from: sender, fragments: fragments, between: between)
    }

    mutating func frames(
        payload: [UInt8], from sender: Peer, fragments: Int = 1, between: [UInt8]? = nil
    ) -> [UInt8] {
        var payload = payload
        var rsv = 0
        if let deflater = deflaters[sender.rawValue] {
            payload = deflater.deflate(payload.span)
            rsv = 4
        }
        var result: [UInt8] = []
        let size = max(1, (payload.count + fragments - 1) / fragments)
        for index in 0..<fragments {
            let piece = Array(payload.dropFirst(index * size).prefix(size))
            result += WebSocketFrameEncoder.encode(
                opcode: index == 0 ? .text : .continuation, payload: piece,
                fin: index == fragments - 1, rsv: index == 0 ? rsv : 0, mask: mask(sender))
            if index == 0, fragments > 1, let between {
                result += control(.ping, between, from: sender)
            }
        }
        return result
    }

    mutating func control(
        _ opcode: WebSocketOpcode, _ payload: [UInt8], from sender: Peer
    ) -> [UInt8] {
        WebSocketFrameEncoder.encode(opcode: opcode, payload: payload, mask: mask(sender))
    }

    private mutating func mask(_ sender: Peer) -> UInt32? {
        sender == .client ? UInt32(truncatingIfNeeded: draws.next()) : nil
    }

    /// One peer sends a message with one command.
    mutating func say(_ text: String, from sender: Peer, at: Int64 = 0) {
        give(frames([text], from: sender), from: sender, at: at)
    }

    /// The gate gets bytes.
    mutating func give(_ bytes: [UInt8], from sender: Peer, at: Int64 = 0) {
        sent[sender.rawValue] += bytes
        gate.take(bytes, from: sender, at: Instant(nanoseconds: at), into: &commands)
    }

    /// What the receiver of `sender`'s bytes gets.
    func delivered(_ sender: Peer) -> [UInt8] {
        commands.reduce(into: []) { stream, command in
            switch command {
            case .pass(sender, let bytes), .make(sender, let bytes): stream += bytes
            case .replace(sender, _, let others): stream += others
            default: break
            }
        }
    }

    /// Everything of `sender` that came out, as it was given.
    func accounted(_ sender: Peer) -> [UInt8] {
        commands.reduce(into: []) { stream, command in
            switch command {
            case .pass(sender, let bytes), .replace(sender, let bytes, _),
                .keep(sender, let bytes):
                stream += bytes
            default: break
            }
        }
    }

    var rows: [FaultRow] {
        commands.compactMap { if case .fault(let row) = $0 { row } else { nil } }
    }

    /// What `stream` says.
    func read(_ stream: [UInt8], from sender: Peer) -> Reading {
        var assembler = WebSocketAssembler(
            sender: sender, compression: way.compression,
            limits: WebSocketLimits(maxStoredPayload: 16 << 20))
        var events: [WebSocketEvent] = []
        assembler.consume(stream.span, into: &events)
        assembler.endOfStream(into: &events)
        var reading = Reading()
        for event in events {
            switch event {
            case .message(let message):
                if let problem = message.problem { reading.problems.append(problem) }
                if let code = message.closeCode { reading.closes.append(code) }
                if message.opcode.isControl { reading.controls += 1 }
                if message.opcode == .text { reading.texts += texts(message.payload, sender) }
            case .note(let note, _): reading.problems.append(note.rawValue)
            case .failure(let error): reading.problems.append(error.description)
            case .frame: break
            }
        }
        return reading
    }

    private func texts(_ payload: [UInt8], _ sender: Peer) -> [String] {
        guard way.isSockJS else { return [String(decoding: payload, as: UTF8.self)] }
        let messages: [SockJSMessage]
        if sender == .client {
            messages = (try? SockJSFrame.parse(client: payload.span)) ?? []
        } else if case .messages(let list)? = try? SockJSFrame.parse(server: payload.span) {
            messages = list
        } else {
            messages = []
        }
        if messages.isEmpty { return ["? \(String(decoding: payload, as: UTF8.self))"] }
        return messages.map { String(decoding: $0.text, as: UTF8.self) }
    }

    /// What the receiver of `sender` understands.
    func heard(_ sender: Peer) -> Reading { read(delivered(sender), from: sender) }

    /// What `sender` said, as it came out.
    func said(_ sender: Peer) -> Reading { read(accounted(sender), from: sender) }
}
