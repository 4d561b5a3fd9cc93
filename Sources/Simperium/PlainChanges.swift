import Notation
import Wire

/// Reads a `c` as libraries and servers write it, in one pass from its bytes to changes.
///
/// Nearly all are so: nothing is missing, odd or escaped, but for deltas. What is not takes the other way, through a
/// ``JSONDocument``, which finds the fault and notes what it tolerates; what this reads, that reads
/// the same.
struct PlainChanges {
    private let end: Int
    private let sender: Peer
    private var place: Int
    // The oddities that do not need another look.

    /// Offset of the change in which a client names itself, as one library does.
    private var naming: Int?
    /// Offset of the first delta that no library would write.
    private var unusual: Int?

    /// Maps of operations within each other.
    private static let depth = 8

    /// What a message is.
    struct Reading {
        var channel: Int
        var payload: Range<Int>
        var changes: [SimperiumChange<Range<Int>>]
        var notes: [SimperiumNote]
    }

    /// Reads a message; nil where it has to be read in the other way.
    static func read(_ message: [UInt8], from sender: Peer) -> Reading? {
        let span = message.span
        var channel = 0
        var place = 0
        while place < span.count, span[place] &- 0x30 < 10 {
            channel = channel * 10 + Int(span[place] &- 0x30)
            place += 1
            guard place < 10 else { return nil }
        }
        guard place > 0, place == 1 || span[0] != 0x30, span.count - place > 4,
            span[place] == 0x3A, span[place + 1] == 0x63, span[place + 2] == 0x3A
        else { return nil }
        let payload = place + 3..<span.count
        var reader = PlainChanges(payload, from: sender)
        guard let changes = reader.changes(span) else { return nil }
        return Reading(
            channel: channel, payload: payload, changes: changes, notes: reader.notes)
    }

    private var notes: [SimperiumNote] {
        var notes: [SimperiumNote] = []
        if let naming { notes.append(SimperiumNote(.clientIDInChange, offset: naming)) }
        if let unusual { notes.append(SimperiumNote(.deltaUnusual, offset: unusual)) }
        return notes
    }

    private init(_ payload: Range<Int>, from sender: Peer) {
        self.sender = sender
        place = payload.lowerBound
        lastEnd = place
        end = payload.upperBound
    }

    private mutating func changes(_ span: borrowing Span<UInt8>) -> [SimperiumChange<Range<Int>>]? {
        var changes: [SimperiumChange<Range<Int>>] = []
        skipSpace(span)
        if sender == .client {
            changes = [SimperiumChange()]
            guard change(span, into: &changes[0]) else { return nil }
        } else {
            guard takes(span, 0x5B) else { return nil }
            repeat {
                let count = changes.count
                guard count < SimperiumCommand.maxElements else { return nil }
                changes.append(SimperiumChange())
                guard change(span, into: &changes[count]) else { return nil }
            } while takes(span, 0x2C)
            guard takes(span, 0x5D) else { return nil }
        }
        return place == end ? changes : nil
    }

    /// Reads a change into an empty one, which is where it stays; false where it cannot.
    private mutating func change(
        _ span: borrowing Span<UInt8>, into change: inout SimperiumChange<Range<Int>>
    ) -> Bool {
        let start = place
        guard takes(span, 0x7B) else { return false }
        var operations = Operations()
        repeat {
            guard let key = key(span), let field = ChangeField(span, key), place < end else {
                return false
            }
            switch field {
            case .id:
                guard change.key == nil, let text = identifier(span, .key) else { return false }
                change.key = text
            case .operation:
                guard change.operation == nil, let name = string(span), name.count == 1 else {
                    return false
                }
                switch span[name.lowerBound] {
                case 0x4D: change.operation = .modify
                case 0x2D: change.operation = .remove
                default: return false
                }
            case .value:
                let start = place
                guard change.value == nil, let found = self.operations(span, within: Self.depth)
                else {
                    return false
                }
                operations = found
                // White space after the value has been skipped, and is no part of it.
                change.value = start..<lastEnd
            case .data:
                let start = place
                guard change.data == nil, object(span) else { return false }
                change.data = start..<lastEnd
            case .sv:
                guard change.sv == nil, let version = version(span) else { return false }
                change.sv = version
            case .ev:
                guard change.ev == nil, sender == .server, let version = version(span) else {
                    return false
                }
                change.ev = version
            case .cv:
                guard change.cv == nil, sender == .server, let text = string(span) else {
                    return false
                }
                change.cv = self.text(span, text)
            case .ccid:
                guard change.ccids.isEmpty, sender == .client, let text = identifier(span, .ccid)
                else {
                    return false
                }
                change.ccids = [text]
            case .ccids:
                guard change.ccids.isEmpty, sender == .server, let list = identifiers(span) else {
                    return false
                }
                change.ccids = list
            case .clientID:
                guard change.clientID == nil, let text = string(span), !text.isEmpty,
                    text.count <= 256
                else { return false }
                change.clientID = self.text(span, text)
                if sender == .client { naming = start }
            case .error:
                guard change.error == nil, sender == .server, let code = version(span),
                    Self.knows(code)
                else { return false }
                change.error = Int(code)
            case .spelledClientID: return false
            }
        } while takes(span, 0x2C)
        guard takes(span, 0x7D) else { return false }
        change.range = start..<lastEnd
        return isComplete(change, operations)
    }

    /// Whether there is nothing to note about what a change has and has not.
    private func isComplete(
        _ change: borrowing SimperiumChange<Range<Int>>, _ operations: Operations
    ) -> Bool {
        guard change.key != nil, !change.ccids.isEmpty else { return false }
        if change.error == nil {
            guard change.operation != nil else { return false }
            if change.operation == .modify, change.value == nil, change.data == nil {
                return false
            }
            if sender == .server, change.clientID == nil || change.cv == nil || change.ev == nil {
                return false
            }
        }
        if change.operation == .remove, change.value != nil || change.data != nil { return false }
        if change.operation == .modify, change.value != nil, change.data == nil {
            if operations.isEmpty || change.sv == nil && !operations.addsOnly { return false }
        }
        if let sv = change.sv, sv < 1 { return false }
        if let ev = change.ev, ev < 1 || ev <= change.sv ?? 0 { return false }
        return true
    }

    /// Whether an error code is known; see `CommandParser.checkError`.
    private static func knows(_ code: Int64) -> Bool {
        switch code {
        case 400, 401, 404, 405, 409, 412, 413, 417, 440, 500..<600: true
        default: false
        }
    }

    // MARK: Operations

    private typealias Operations = OperationSummary

    /// Steps over a map of operations; nil where there is something to note about one.
    private mutating func operations(
        _ span: borrowing Span<UInt8>, within depth: Int, ofList: Bool = false
    ) -> Operations? {
        var summary = Operations()
        guard depth > 0, takes(span, 0x7B) else { return nil }
        if takes(span, 0x7D) { return summary }
        repeat {
            guard let key = key(span, orEscaped: !ofList) else { return nil }
            if ofList {
                guard !key.isEmpty else { return nil }
                for place in key where span[place] &- 0x30 >= 10 { return nil }
            }
            guard let name = operation(span, within: depth) else { return nil }
            summary.isEmpty = false
            if name != 0x2B { summary.addsOnly = false }
        } while takes(span, 0x2C)
        return takes(span, 0x7D) ? summary : nil
    }

    /// Steps over an operation: `o` and then, but for `-`, `v`.
    ///
    /// - Returns: The first byte of its name.
    private mutating func operation(_ span: borrowing Span<UInt8>, within depth: Int) -> UInt8? {
        guard takes(span, 0x7B), let key = key(span), key.count == 1, span[key.lowerBound] == 0x6F,
            let name = string(span), name.count == 1
        else { return nil }
        let letter = span[name.lowerBound]
        if letter == 0x2D, takes(span, 0x7D) { return letter }
        guard takes(span, 0x2C), let value = self.key(span), value.count == 1,
            span[value.lowerBound] == 0x76, place < end
        else { return nil }
        switch letter {
        case 0x2B, 0x72: guard skip(span) else { return nil }  // + r
        case 0x64:  // d
            guard let delta = string(span, orEscaped: true), let check = DeltaCheck(span, delta),
                !check.isMalformed
            else { return nil }
            if check.isUnusual, unusual == nil {
                // Maps that others hold are looked at in another order.
                guard depth == Self.depth else { return nil }
                unusual = delta.lowerBound - 1
            }
        case 0x49:  // I
            guard span[place] == 0x2D || span[place] &- 0x30 < 10, skip(span) else { return nil }
        case 0x4F: guard operations(span, within: depth - 1) != nil else { return nil }  // O
        case 0x4C:  // L
            guard operations(span, within: depth - 1, ofList: true) != nil else { return nil }
        default: return nil
        }
        return takes(span, 0x7D) ? letter : nil
    }

    /// Steps over an object that is not what a client keeps one in, as far as its first key shows.
    private mutating func object(_ span: borrowing Span<UInt8>) -> Bool {
        guard place < end, span[place] == 0x7B else { return false }
        let start = place
        guard takes(span, 0x7B) else { return false }
        if place < end, span[place] == 0x22 {
            guard let key = key(span, orEscaped: true) else { return false }
            // `version` or `data`, or what may be one of them with escapes.
            if key.count == 7 || key.count == 4 || key.count > 15 { return false }
        }
        place = start
        return skip(span)
    }

    // MARK: Steps

    /// The offset after the last token, before the white space that follows it.
    private var lastEnd = 0

    private mutating func skipSpace(_ span: borrowing Span<UInt8>) {
        guard place < end, span[place] <= 0x20 else { return }
        // One space nearly always.
        if span[place] == 0x20, place + 1 < end, span[place + 1] > 0x20 {
            place += 1
        } else {
            place = JSONStep.space(span, at: place, end: end)
        }
    }

    private mutating func after(_ span: borrowing Span<UInt8>, _ token: Int) {
        lastEnd = token
        place = token
        skipSpace(span)
    }

    /// Steps over a sign and the white space after it, where it is there.
    private mutating func takes(_ span: borrowing Span<UInt8>, _ byte: UInt8) -> Bool {
        guard place < end, span[place] == byte else { return false }
        after(span, place + 1)
        return true
    }

    private mutating func skip(_ span: borrowing Span<UInt8>) -> Bool {
        guard let token = JSONStep.value(span, at: place, end: end) else { return false }
        after(span, token)
        return true
    }

    /// Steps over a string, and gives what is between its quotes.
    private mutating func string(
        _ span: borrowing Span<UInt8>, orEscaped: Bool = false
    ) -> Range<Int>? {
        guard place < end, span[place] == 0x22 else { return nil }
        var isPlain = false
        let start = place + 1
        guard let token = JSONStep.string(span, at: place, end: end, isPlain: &isPlain),
            isPlain || orEscaped
        else { return nil }
        after(span, token)
        return start..<token - 1
    }

    /// Steps over a key and its colon, and gives what is between its quotes.
    private mutating func key(_ span: borrowing Span<UInt8>, orEscaped: Bool = false) -> Range<Int>?
    {
        guard let key = string(span, orEscaped: orEscaped), takes(span, 0x3A) else { return nil }
        return key
    }

    private func text(_ span: borrowing Span<UInt8>, _ range: Range<Int>) -> String {
        span.extracting(range).withUnsafeBufferPointer { String(decoding: $0, as: UTF8.self) }
    }

    /// Steps over a string of 1 to 256 characters of a set.
    private mutating func identifier(_ span: borrowing Span<UInt8>, _ set: ByteSet) -> String? {
        guard let range = string(span), !range.isEmpty, range.count <= 256 else { return nil }
        return span.extracting(range).withUnsafeBufferPointer { bytes in
            for byte in bytes where !set.contains(byte) { return nil }
            return String(decoding: bytes, as: UTF8.self)
        }
    }

    private mutating func identifiers(_ span: borrowing Span<UInt8>) -> [String]? {
        guard takes(span, 0x5B), let first = identifier(span, .ccid) else { return nil }
        var list = [first]
        while takes(span, 0x2C) {
            guard let next = identifier(span, .ccid) else { return nil }
            list.append(next)
        }
        return takes(span, 0x5D) ? list : nil
    }

    /// Steps over a whole number of at most 18 digits, without a sign.
    private mutating func version(_ span: borrowing Span<UInt8>) -> Int64? {
        let start = place
        var value: Int64 = 0
        var token = place
        while token < end, span[token] &- 0x30 < 10 {
            guard token - start < 18 else { return nil }
            value = value * 10 + Int64(span[token] &- 0x30)
            token += 1
        }
        guard token > start, token == start + 1 || span[start] != 0x30, token < end else {
            return nil
        }
        // A fraction, an exponent or a letter follows: another look is needed.
        switch span[token] {
        case 0x2C, 0x5D, 0x7D, 0x20, 0x0A, 0x0D, 0x09: break
        default: return nil
        }
        after(span, token)
        return value
    }
}
