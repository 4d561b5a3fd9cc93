import Notation
import Wire

/// Reads one message as a command, and collects what it tolerates.
struct CommandParser {
    let message: [UInt8]
    let sender: Peer
    private(set) var notes: [SimperiumNote] = []

    init(_ message: [UInt8], from sender: Peer) {
        self.message = message
        self.sender = sender
    }

    mutating func parse() -> SimperiumCommand {
        guard let head = CommandHead(message) else {
            if isSockJS() { note(.sockJSFrame, at: 0) }
            return SimperiumCommand(
                sender: sender, channel: nil, name: "", payload: 0..<message.count,
                body: nil, notes: notes, problem: .notACommand(offset: 0))
        }
        var command = SimperiumCommand(
            sender: sender, channel: head.channel, name: head.name,
            payload: head.payloadStart..<message.count, body: nil, notes: [],
            problem: head.problem)
        if head.hasLeadingZeros { note(.channelZeros, at: 0) }
        noteChannel(of: head)
        do {
            command.body = try body(of: head.name, head.hasPayload, command.payload)
        } catch {
            command.problem = command.problem ?? error
        }
        command.notes = notes
        return command
    }

    private mutating func noteChannel(of head: CommandHead) {
        let hasChannel = head.channel != nil || head.problem != nil
        switch head.name {
        case "h" where hasChannel: note(.heartbeatOnChannel, at: 0)
        case "log" where hasChannel: note(.logOnChannel, at: 0)
        case "?": note(hasChannel ? .questionMark : .bareQuestionMark, at: 0)
        case "h", "log": break
        default: if !hasChannel { note(.noChannel, at: 0) }
        }
    }

    private mutating func body(
        of name: String, _ hasPayload: Bool, _ payload: Range<Int>
    ) throws(SimperiumError) -> SimperiumBody<Range<Int>> {
        switch name {
        case "init":
            expect(.client)
            return .initialize(try initRequest(payload))
        case "auth":
            expect(.server)
            return .auth(try authReply(payload))
        case "i":
            if isQuestionMark(payload) {
                expect(.server)
                note(.indexUnknownMark, at: payload.lowerBound)
                return .unknownMark
            }
            if first(payload) == 0x7B {
                expect(.server)
                return .indexPage(try indexPage(payload))
            }
            expect(.client)
            if !hasPayload { note(.missingPayload, at: payload.lowerBound) }
            let slots = try text(payload)
            return .indexRequest(
                IndexRequest(slots: slots) { note($0, at: payload.lowerBound) })
        case "e": return try entity(payload)
        case "cv":
            if sender == .server {
                if !isQuestionMark(payload) { note(.cvReply, at: payload.lowerBound) }
                return .unknownChangeVersion(isLegacy: false)
            }
            if payload.isEmpty {
                note(hasPayload ? .cvEmpty : .missingPayload, at: payload.lowerBound)
            }
            let cv = try text(payload)
            checkChangeVersion(cv, at: payload.lowerBound)
            return .changesSince(cv: cv)
        case "c":
            if isQuestionMark(payload) {
                expect(.server)
                note(.unknownCVAsChange, at: payload.lowerBound)
                return .unknownChangeVersion(isLegacy: true)
            }
            return .changes(try changes(payload))
        case "o":
            expect(.server)
            return .options(try options(payload))
        case "h":
            guard hasPayload else { throw .noPayload(offset: payload.lowerBound) }
            guard let count = integer(payload) else {
                throw .heartbeat(offset: payload.lowerBound)
            }
            checkZeros(payload)
            return .heartbeat(count)
        case "index":
            guard !payload.isEmpty else {
                expect(.server)
                if hasPayload { note(.unexpectedPayload, at: payload.lowerBound) }
                return .indexStateRequest
            }
            expect(.client)
            return .indexState(try indexState(payload))
        case "log": return try log(hasPayload, payload)
        case "?":
            expect(.server)
            if hasPayload { note(.unexpectedPayload, at: payload.lowerBound) }
            return .notUnderstood
        default:
            note(.unknownCommand, at: 0)
            return .other(name: name, payload: hasPayload ? Array(message[payload]) : nil)
        }
    }

    // MARK: Notes

    mutating func note(_ code: SimperiumNote.Code, _ field: String? = nil, at offset: Int) {
        // Each once: a hostile payload could repeat one a million times.
        guard !notes.contains(where: { $0.code == code && $0.field == field }) else { return }
        notes.append(SimperiumNote(code, field: field, offset: offset))
    }

    private mutating func expect(_ peer: Peer) {
        if sender != peer { note(.wrongDirection, at: 0) }
    }

    // MARK: Bytes

    /// The first byte that is not white space of JSON.
    func first(_ range: Range<Int>) -> UInt8? {
        message[range].first { $0 != 0x20 && $0 != 0x0A && $0 != 0x0D && $0 != 0x09 }
    }

    /// Whether what is not a command looks like a frame of SockJS.
    private func isSockJS() -> Bool {
        guard let first = first(0..<message.count) else { return false }
        switch first {
        case 0x5B, 0x22: return true  // [" or a bare string, of a client
        case 0x61, 0x63: return message.count > 1 && message[1] == 0x5B  // a[ c[
        case 0x6F, 0x68: return message.count == 1  // o h
        default: return false
        }
    }

    func isQuestionMark(_ range: Range<Int>) -> Bool {
        range.count == 1 && message[range.lowerBound] == 0x3F
    }

    /// Digits alone, as a number that fits.
    func integer(_ range: Range<Int>) -> Int64? {
        guard !range.isEmpty, range.count <= 19 else { return nil }
        var value: Int64 = 0
        for byte in message[range] {
            guard byte &- 0x30 < 10 else { return nil }
            let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
            let (sum, carry) = tens.addingReportingOverflow(Int64(byte &- 0x30))
            guard !overflow, !carry else { return nil }
            value = sum
        }
        return value
    }

    func text(_ range: Range<Int>) throws(SimperiumError) -> String {
        guard let text = String(validating: message[range], as: UTF8.self) else {
            throw .notUTF8(offset: range.lowerBound)
        }
        return text
    }

    /// The payload as JSON of this kind.
    func json(_ payload: Range<Int>, _ kind: JSONKind?) throws(SimperiumError) -> JSONDocument.Node
    {
        guard !payload.isEmpty else { throw .noPayload(offset: payload.lowerBound) }
        let root: JSONDocument.Node
        do {
            root = try JSONDocument.scan(message, in: payload).root
        } catch {
            throw .json(error)
        }
        if let kind, root.kind != kind {
            throw .wrongKind(expected: kind, offset: root.range.lowerBound)
        }
        return root
    }
}
