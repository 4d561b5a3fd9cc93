extension ClientHello {
    /// Reads the first bytes of a stream.
    ///
    /// Called again with the same bytes and more it gives the same or a further answer; only
    /// ``Result/needMore`` is ever followed by another one.
    ///
    /// - Parameter bytes: Everything received so far; hostile.
    /// - Returns: The result. At most ``limit`` bytes of a handshake are needed.
    public static func parse(_ bytes: Span<UInt8>) -> Result {
        do {
            var handshake = try Handshake(bytes)
            guard handshake.isComplete else { return .needMore }
            return .hello(try handshake.hello())
        } catch {
            switch error {
            case .notTLS: return .notTLS
            case .short: return .needMore
            case .malformed(let offset, let reason):
                return .malformed(offset: offset, reason: reason)
            }
        }
    }

    /// Why reading stopped.
    private enum Stop: Error {
        /// The stream is not TLS.
        case notTLS
        /// The stream is valid so far.
        case short
        /// The stream is invalid at `offset`.
        case malformed(offset: Int, reason: String)
    }

    /// The handshake message inside the records, and where in the stream its bytes were.
    private struct Handshake {
        /// The message as far as it is there, without record headers.
        var bytes: [UInt8] = []
        /// Where a stretch of `bytes` starts, and where it starts in the stream.
        var stretches: [(start: Int, offset: Int)] = []
        /// Version of the first record.
        var recordVersion: UInt16 = 0
        /// Where the next read starts in `bytes`.
        var position = 0

        /// Collects the message from records.
        init(_ stream: Span<UInt8>) throws(Stop) {
            var offset = 0
            while !isComplete {
                guard offset < stream.count else { return }
                guard stream[offset] == 22 else {
                    if offset == 0 { throw .notTLS }
                    throw .malformed(
                        offset: offset,
                        reason: "record of type \(stream[offset]) within a handshake")
                }
                guard offset + 1 < stream.count else { return }
                guard stream[offset + 1] == 3 else {
                    if offset == 0 { throw .notTLS }
                    throw .malformed(offset: offset + 1, reason: "record of unknown version")
                }
                guard offset + 5 <= stream.count else { return }
                if offset == 0 { recordVersion = 0x0300 | UInt16(stream[2]) }
                let count = Int(stream[offset + 3]) << 8 | Int(stream[offset + 4])
                guard 1...(1 << 14) ~= count else {
                    throw .malformed(offset: offset + 3, reason: "record of \(count) bytes")
                }
                offset += 5
                stretches.append((bytes.count, offset))
                let end = min(offset + count, stream.count)
                for index in offset..<end { bytes.append(stream[index]) }
                if bytes.count >= 1, bytes[0] != 1 {
                    throw .malformed(
                        offset: place(0),
                        reason: "handshake message of type \(bytes[0]) comes first")
                }
                if let length, length > ClientHello.limit {
                    throw .malformed(offset: place(1), reason: "hello of \(length) bytes")
                }
                guard end == offset + count else { return }
                offset = end
            }
        }

        /// The stated length of the message, without its header of 4 bytes.
        var length: Int? {
            guard bytes.count >= 4 else { return nil }
            return Int(bytes[1]) << 16 | Int(bytes[2]) << 8 | Int(bytes[3])
        }

        /// Whether the whole message is there.
        var isComplete: Bool { length.map { bytes.count >= 4 + $0 } ?? false }

        /// Where in the stream the byte at `index` of the message is.
        func place(_ index: Int) -> Int {
            guard let last = stretches.last(where: { $0.start <= index }) else { return index }
            return last.offset + index - last.start
        }

        /// Reads the message, which is complete.
        mutating func hello() throws(Stop) -> ClientHello {
            let end = 4 + (length ?? 0)
            position = 4
            let legacyVersion = try UInt16(number(2, end, "version"))
            _ = try block(32, end, "random")
            _ = try block(number(1, end, "session"), end, "session")
            let suites = try block(number(2, end, "cipher suites"), end, "cipher suites")
            _ = try block(number(1, end, "compression methods"), end, "compression methods")
            var hello = ClientHello(
                recordVersion: recordVersion, versions: [],
                cipherSuites: try pairs(suites, "cipher suites"))
            // Up to TLS 1.2 the extensions may be missing altogether.
            if position < end {
                let extensions = try block(number(2, end, "extensions"), end, "extensions")
                position = extensions.lowerBound
                while position < extensions.upperBound {
                    let kind = try number(2, extensions.upperBound, "extension")
                    let size = try number(2, extensions.upperBound, "extension")
                    let body = try block(size, extensions.upperBound, "extension")
                    position = body.lowerBound
                    try read(kind, body, into: &hello)
                    position = body.upperBound
                }
            }
            if hello.versions.isEmpty { hello.versions = [legacyVersion] }
            return hello
        }

        /// Reads one extension.
        private mutating func read(
            _ kind: Int, _ body: Range<Int>, into hello: inout ClientHello
        ) throws(Stop) {
            switch kind {
            case 0:
                let list = try block(
                    number(2, body.upperBound, "server name"), body.upperBound, "server name")
                position = list.lowerBound
                while position < list.upperBound {
                    let type = try number(1, list.upperBound, "server name")
                    let size = try number(2, list.upperBound, "server name")
                    let name = try block(size, list.upperBound, "server name")
                    if type == 0, hello.serverName == nil { hello.serverName = text(name) }
                }
            case 16:
                let list = try block(
                    number(2, body.upperBound, "ALPN"), body.upperBound, "ALPN")
                position = list.lowerBound
                while position < list.upperBound {
                    let size = try number(1, list.upperBound, "ALPN")
                    hello.protocols.append(text(try block(size, list.upperBound, "ALPN")))
                }
            case 43:
                let list = try block(
                    number(1, body.upperBound, "versions"), body.upperBound, "versions")
                hello.versions = try pairs(list, "versions")
            case 0xFE0D: hello.hasEncryptedHello = true
            default: break
            }
        }

        /// A number of `width` bytes.
        private mutating func number(
            _ width: Int, _ end: Int, _ what: String
        ) throws(Stop) -> Int {
            let range = try block(width, end, what)
            return bytes[range].reduce(0) { $0 << 8 | Int($1) }
        }

        /// The next `count` bytes, which have to end at `end` at the latest.
        private mutating func block(
            _ count: Int, _ end: Int, _ what: String
        ) throws(Stop) -> Range<Int> {
            guard count <= end - position else {
                throw .malformed(offset: place(position), reason: "\(what) cut short")
            }
            defer { position += count }
            return position..<position + count
        }

        /// Numbers of two bytes.
        private func pairs(_ range: Range<Int>, _ what: String) throws(Stop) -> [UInt16] {
            guard range.count.isMultiple(of: 2) else {
                throw .malformed(offset: place(range.lowerBound), reason: "\(what) of odd length")
            }
            return stride(from: range.lowerBound, to: range.upperBound, by: 2).map {
                UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1])
            }
        }

        /// Bytes as printable ASCII.
        private func text(_ range: Range<Int>) -> String {
            var result = ""
            for byte in bytes[range] {
                if 0x21...0x7E ~= byte, byte != UInt8(ascii: "\\") {
                    result.unicodeScalars.append(Unicode.Scalar(byte))
                } else {
                    result += (byte < 16 ? "\\x0" : "\\x") + String(byte, radix: 16)
                }
            }
            return result
        }
    }
}
