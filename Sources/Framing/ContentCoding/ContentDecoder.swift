/// Undoes the content codings of one body, in portions of any size.
///
/// Memory is bounded whatever the input: each coding has an output block of 64 KiB and the state
/// its library needs, and what was decoded is passed on block by block. An empty body is
/// well-formed in every coding, since responses without content name codings as well.
///
/// Not thread-safe; may be moved from one thread to another.
public final class ContentDecoder {
    /// The codings to undo, in the order in which they were applied.
    public let codings: [ContentCoding]
    /// Number of bytes given so far.
    public private(set) var inputBytes: Int64 = 0
    /// Number of decoded bytes passed on so far.
    public private(set) var outputBytes: Int64 = 0
    private let limits: ContentDecodingLimits
    private let stages: [any DecodingStage]
    private var stageOutput: [Int64]
    private var failure: ContentCodingError?

    /// A decoder for the value of a `Content-Encoding` field, such as `gzip` or `gzip, br`.
    ///
    /// - Throws: ``ContentCodingError``: `unknown`, `tooMany` or `memory`.
    public init(
        codings text: String, limits: ContentDecodingLimits = ContentDecodingLimits()
    ) throws(ContentCodingError) {
        let codings = try ContentCoding.parse(text)
        guard codings.count <= limits.maxCodings else { throw .tooMany(limit: limits.maxCodings) }
        var stages: [any DecodingStage] = []
        for coding in codings.reversed() {
            switch coding {
            case .gzip, .deflate: stages.append(try ZlibStage(coding))
            case .brotli: stages.append(try BrotliStage())
            case .zstandard: stages.append(try ZstandardStage(windowLog: limits.maxWindowLog))
            }
        }
        self.codings = codings
        self.limits = limits
        self.stages = stages
        stageOutput = [Int64](repeating: 0, count: stages.count)
    }

    /// Whether nothing has to be undone, so that content is what was sent.
    public var isIdentity: Bool { stages.isEmpty }

    /// Decodes bytes that follow those of the call before.
    ///
    /// - Parameters:
    ///   - bytes: Content as sent, without transfer coding.
    ///   - emit: Receives what was decoded, in order, at most 64 KiB at a time (all of `bytes` at
    ///     once if there is no coding); never nothing. What it throws ends the decoding.
    /// - Throws: ``ContentCodingError``; the same again in later calls.
    public func decode(
        _ bytes: borrowing Span<UInt8>,
        emit: (borrowing Span<UInt8>) throws(ContentCodingError) -> Void
    ) throws(ContentCodingError) {
        if let failure { throw failure }
        guard !bytes.isEmpty else { return }
        inputBytes += Int64(bytes.count)
        do {
            try run(0, bytes, emit)
        } catch {
            failure = error
            throw error
        }
    }

    /// Notes the end of the body.
    ///
    /// - Throws: ``ContentCodingError/truncated(_:offset:)`` where a coding is not; a failure of
    ///   an earlier call again.
    public func finish() throws(ContentCodingError) {
        if let failure { throw failure }
        for stage in stages {
            do {
                try stage.finish()
            } catch {
                failure = error
                throw error
            }
        }
    }

    /// Bytes of memory that it holds, roughly, and the same for the same content.
    public var heldBytes: Int {
        var held = 0
        for (stage, coding) in codings.reversed().enumerated() {
            // A block of output and the library's state, and a window that fills as it is used.
            let window: Int64 =
                switch coding {
                case .gzip, .deflate: 0
                case .brotli: 16 << 20
                case .zstandard: 1 << Int64(limits.maxWindowLog)
                }
            held += 112 << 10 + Int(min(window, 2 * stageOutput[stage]))
        }
        return held
    }

    private func run(
        _ index: Int, _ bytes: borrowing Span<UInt8>,
        _ emit: (borrowing Span<UInt8>) throws(ContentCodingError) -> Void
    ) throws(ContentCodingError) {
        guard index < stages.count else {
            outputBytes += Int64(bytes.count)
            try emit(bytes)
            return
        }
        try stages[index].decode(bytes) { (block) throws(ContentCodingError) in
            stageOutput[index] += Int64(block.count)
            // Every stage counts: a small result may have had a huge intermediate one.
            guard !limits.isBomb(decoded: stageOutput[index], sent: inputBytes) else {
                throw .bomb(offset: inputBytes)
            }
            try run(index + 1, block, emit)
        }
    }
}

@available(*, unavailable)
extension ContentDecoder: Sendable {}
