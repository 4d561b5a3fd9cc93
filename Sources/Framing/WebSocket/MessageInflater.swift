import CZlib

/// Inflates the messages that one peer compressed with permessage-deflate.
///
/// Messages are passed in the order in which they were sent. After an error the messages that
/// follow are lost as well where the context is taken over. Never used from two threads at once,
/// hence not `Sendable`. Source: RFC 7692, section 7.2.2.
public final class MessageInflater {
    /// Whether a message may refer to those before it.
    public let contextTakeover: Bool

    private let stream: UnsafeMutablePointer<z_stream>
    private let output: UnsafeMutableBufferPointer<UInt8>
    private let isReady: Bool
    /// Bytes that the current message has been inflated to.
    private var produced: Int64 = 0
    /// Bytes that the current message may be inflated to.
    private var limit: Int64 = .max
    /// Whether the last byte of input ended a final block (RFC 7692, 7.2.3.5).
    private var isAfterFinalBlock = false

    /// An inflater that has seen no message.
    ///
    /// The window is always 32 KiB whatever was negotiated: it inflates what smaller ones do.
    public convenience init(contextTakeover: Bool = true) {
        self.init(contextTakeover: contextTakeover, windowBits: 15)
    }

    /// An inflater with a window of 2^`windowBits` bytes, which refuses references beyond it.
    init(contextTakeover: Bool, windowBits: Int32) {
        self.contextTakeover = contextTakeover
        // zlib keeps the address of the stream, so that it may not move.
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        output = .allocate(capacity: 8192)
        isReady =
            inflateInit2_(
                stream, -windowBits, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK
    }

    /// An inflater in the same state as `other`, that goes on independently of it.
    init(copying other: MessageInflater) {
        contextTakeover = other.contextTakeover
        stream = .allocate(capacity: 1)
        stream.initialize(to: z_stream())
        output = .allocate(capacity: 8192)
        produced = other.produced
        limit = other.limit
        isAfterFinalBlock = other.isAfterFinalBlock
        isReady = other.isReady && inflateCopy(stream, other.stream) == Z_OK
    }

    deinit {
        if isReady { inflateEnd(stream) }
        stream.deallocate()
        output.deallocate()
    }

    /// Inflates a whole message.
    ///
    /// - Parameters:
    ///   - message: The payloads of its frames, unmasked and joined.
    ///   - limit: Greatest number of bytes to inflate to.
    /// - Returns: The payload of the message.
    /// - Throws: ``MessageInflateError``.
    public func inflate(
        _ message: borrowing Span<UInt8>, limit: Int = 64 << 20
    ) throws(MessageInflateError) -> [UInt8] {
        var result: [UInt8] = []
        begin(limit: Int64(limit))
        try feed(message) { (piece: borrowing Span<UInt8>) in
            piece.withUnsafeBufferPointer { result.append(contentsOf: $0) }
        }
        try finish()
        return result
    }

    /// Gets ready for the first bytes of a message.
    func begin(limit: Int64) {
        produced = 0
        self.limit = limit
        isAfterFinalBlock = false
        if !contextTakeover, isReady { inflateReset(stream) }
    }

    /// Inflates the next bytes of the message into `sink`, in pieces of at most 8 KiB.
    func feed(
        _ bytes: borrowing Span<UInt8>, into sink: (borrowing Span<UInt8>) -> Void
    ) throws(MessageInflateError) {
        guard isReady else { throw .noMemory }
        guard !bytes.isEmpty else { return }
        var failure: MessageInflateError?
        bytes.withUnsafeBufferPointer { input in
            // A span may be longer than zlib can count.
            var rest = input[...]
            while !rest.isEmpty, failure == nil {
                let piece = rest.prefix(1 << 30)
                rest = rest.dropFirst(piece.count)
                failure = run(UnsafeBufferPointer(rebasing: piece), into: sink)
            }
        }
        if let failure { throw failure }
    }

    /// Ends the message: what the sender left out at its end is put back.
    func finish() throws(MessageInflateError) {
        guard isReady else { throw .noMemory }
        // The data ended with a final block instead of an empty one that the sender left out.
        if isAfterFinalBlock { return }
        let whole = produced
        let tail: [UInt8] = [0x00, 0x00, 0xFF, 0xFF]
        let failure = tail.withUnsafeBufferPointer { run($0) { _ in } }
        // 128: at the start of a block; the low bits: the number of bits that were not used. In
        // the midst of a block the tail would be taken for data, of which nothing may be kept.
        let state = stream.pointee.data_type
        guard failure == nil, produced == whole, state & 0x80 != 0, state & 0x3F == 0 else {
            throw .truncated(produced: whole)
        }
    }

    private func run(
        _ input: UnsafeBufferPointer<UInt8>, into sink: (borrowing Span<UInt8>) -> Void
    ) -> MessageInflateError? {
        stream.pointee.next_in = UnsafeMutablePointer(mutating: input.baseAddress)
        stream.pointee.avail_in = uInt(input.count)
        // zlib must not be left with an address that is about to become invalid.
        defer {
            stream.pointee.next_in = nil
            stream.pointee.avail_in = 0
        }
        while true {
            isAfterFinalBlock = false
            stream.pointee.next_out = output.baseAddress
            stream.pointee.avail_out = uInt(output.count)
            let status = CZlib.inflate(stream, Z_SYNC_FLUSH)
            let count = output.count - Int(stream.pointee.avail_out)
            let taken = Int(min(Int64(count), limit - produced))
            if taken > 0 { sink(UnsafeBufferPointer(rebasing: output[..<taken]).span) }
            produced += Int64(taken)
            guard taken == count else { return .tooLarge(limit: limit) }
            switch status {
            case Z_STREAM_END:
                // Further blocks may follow and refer to what was before, so the window is kept.
                inflateResetKeep(stream)
                isAfterFinalBlock = stream.pointee.avail_in == 0
                if isAfterFinalBlock { return nil }
            case Z_OK, Z_BUF_ERROR:
                // Room left in the output means that all input is used up.
                if stream.pointee.avail_out > 0 { return nil }
            case Z_MEM_ERROR:
                return .noMemory
            default:
                let reason = stream.pointee.msg.map { String(cString: $0) } ?? "status \(status)"
                return .invalid(reason: reason, produced: produced)
            }
        }
    }
}
