public import Trace

/// Reads a file of flows that mitmproxy wrote: first where they are, then the exchanges in order of
/// time.
///
/// Flow format 21 is read; files of other formats are refused by the name of the version. Flows of
/// TCP, UDP and DNS are counted and left out, since they have no exchange. A file that ends in the
/// middle of a flow, as a killed mitmdump leaves it, gives the flows before that, and sets
/// ``cutOff``. Memory: 24 bytes for each flow, and one flow at a time.
public final class MitmproxyReader: ArchiveReader {
    /// The largest flow in bytes, bodies included: 256 MiB.
    public static let largestFlow = 256 << 20

    private struct Place {
        var range: Range<Int>
        /// When its request starts, in nanoseconds since 1970 UTC.
        var start: Int64
    }

    private let source: ArchiveSource
    private var places: [Place] = []
    /// Flows in the file.
    public private(set) var flows = 0
    /// Flows that are not exchanges, by why, in words that follow a number of them.
    public private(set) var leftOut: [String: Int] = [:]
    /// Bytes at the end that are the beginning of a flow and not all of it.
    public private(set) var cutOff = 0

    /// Reads where the flows of the file at `path` are.
    ///
    /// - Throws: ``FileError``, with the byte of the error.
    public convenience init(path: String) throws(FileError) {
        try self.init(ArchiveSource(path: path))
    }

    /// Reads where the flows in `bytes` are; `name` is what messages call them.
    public convenience init(bytes: [UInt8], name: String) throws(FileError) {
        try self.init(ArchiveSource(bytes: bytes, name: name))
    }

    init(_ source: ArchiveSource) throws(FileError) {
        self.source = source
        try index()
        // mitmproxy writes a flow when it is over.
        places.sort { ($0.start, $0.range.lowerBound) < ($1.start, $1.range.lowerBound) }
    }

    /// Whether a file that begins with `bytes` may be one of flows.
    public static func looksLike(_ bytes: some Sequence<UInt8>) -> Bool {
        // The length of a dictionary, and of its first key.
        let prefix = Array(bytes.prefix(2 * (TNetstring.longestLength + 1)))
        guard let (length, start) = try? TNetstring.length(of: prefix[...]), length > 2 else {
            return false
        }
        return (try? TNetstring.length(of: prefix[start...])) != nil
    }

    /// Exchanges that ``exchanges(_:)`` gives.
    public var count: Int { places.count }

    /// When the first exchange starts, in nanoseconds since 1970 UTC; 0 without any.
    public var startedUnixNanoseconds: Int64 { places.first?.start ?? 0 }

    /// The exchange with this index, in order of their starts.
    ///
    /// - Parameter index: From 0 to ``count``.
    /// - Returns: The exchange.
    /// - Throws: ``FileError`` where the file changed or cannot be read.
    public func exchange(at index: Int) throws(FileError) -> ArchivedExchange {
        guard case .exchange(let exchange) = try flow(places[index].range) else {
            throw FileError(.storage, "\(source.name) changed while it was read; try again")
        }
        return exchange
    }

    // MARK: Finding the flows

    private func index() throws(FileError) {
        var start = 0
        while start < source.count, let end = try end(ofFlowAt: start) {
            flows += 1
            switch try flow(start..<end) {
            case .exchange(let exchange):
                places.append(
                    Place(range: start..<end, start: exchange.startedUnixNanoseconds))
            case .other(let type): leftOut[Self.detail(type), default: 0] += 1
            }
            start = end
        }
        cutOff = source.count - start
    }

    /// Where the flow that begins at `start` ends; nil where the file ends before.
    private func end(ofFlowAt start: Int) throws(FileError) -> Int? {
        let head = try source.bytes(
            start..<min(source.count, start + TNetstring.longestLength + 1))
        let length: Int
        let first: Int
        do throws(TNetstring.Mistake) {
            (length, first) = try TNetstring.length(of: head[...])
        } catch {
            let isCut =
                head.count <= TNetstring.longestLength
                && head.allSatisfy { (0x30...0x39).contains($0) }
            if isCut { return nil }
            throw mistake(error.detail + ", so that no flow begins", at: start)
        }
        guard length <= Self.largestFlow else {
            throw mistake(
                "a flow of \(length) bytes, more than \(Self.largestFlow); save it without that body",
                at: start)
        }
        // The type follows the payload.
        let end = start + first + length + 1
        return end <= source.count ? end : nil
    }

    private func flow(_ range: Range<Int>) throws(FileError) -> MitmproxyFlow {
        let bytes = try source.bytes(range)
        do throws(MitmproxyFlow.Refusal) {
            return try MitmproxyFlow(parsing: bytes)
        } catch {
            switch error {
            case .format(let name, let isLater):
                let advice =
                    isLater
                    ? "make a HAR of it there, with mitmdump -n -r \(source.name) "
                        + "--set hardump=NEW.har, and import that"
                    : "mitmdump 12 converts it, with mitmdump -n -r \(source.name) -w NEW"
                throw FileError(
                    .malformed,
                    "\(source.name) was written by \(name), and flow format "
                        + "\(MitmproxyFlow.format) is read: \(advice)")
            case .mistake(let found):
                throw mistake(found.detail, at: range.lowerBound + found.offset)
            }
        }
    }

    private func mistake(_ detail: String, at offset: Int) -> FileError {
        FileError(.malformed, "\(source.name): at byte \(offset): \(detail)")
    }

    /// What a flow is called that is not an exchange.
    private static func detail(_ type: String) -> String {
        switch type {
        case "connect": "requests for a tunnel"
        case "tcp", "udp", "dns": "flows of \(type.uppercased())"
        default: "flows of an unknown kind"
        }
    }
}
