import Notation
public import Trace
internal import Wire

/// Reads an HTTP archive (HAR 1.2): first where its entries are, then the entries in order of time.
///
/// The file is never in memory as a whole: 32 bytes for each entry, a block of 1 MiB, and one entry
/// at a time with 16 bytes for each key and value in it; of a large content only what it stands for. An incomplete archive is refused, so that
/// a part is not taken for the whole.
public final class HARReader: ArchiveReader {
    /// The largest entry in bytes, bodies in base64 included.
    static let largestEntry = 512 << 20
    /// Keys and values of one entry: 16 bytes of memory each.
    static let maxValues = 16_000_000
    /// The largest member of `log` other than `entries` that is inspected, in bytes.
    private static let largestMember = 1 << 20

    private struct Place {
        var range: Range<Int>
        /// When it starts, in nanoseconds since 1970 UTC.
        var start: Int64
        /// What counts as its start where it has none.
        var fallback: Int64
    }

    private let source: ArchiveSource
    private var places: [Place] = []
    /// `startedDateTime` of the last entry that has one; 0 before the first.
    private var lastStart: Int64 = 0
    /// The program that made the archive, with version; empty where unknown.
    public private(set) var creator = ""
    /// Entries in it.
    public private(set) var entries = 0
    /// Entries that are not exchanges, by why, in words that follow a number of them.
    public private(set) var leftOut: [String: Int] = [:]

    /// Reads where the entries of the file at `path` are.
    ///
    /// - Throws: ``FileError``, with the byte of the error.
    public convenience init(path: String) throws(FileError) {
        try self.init(ArchiveSource(path: path))
    }

    /// Reads where the entries in `bytes` are; `name` is what messages call them.
    public convenience init(bytes: [UInt8], name: String) throws(FileError) {
        try self.init(ArchiveSource(bytes: bytes, name: name))
    }

    init(_ source: ArchiveSource) throws(FileError) {
        self.source = source
        try index()
        places.sort { $0.start < $1.start }
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
        let place = places[index]
        var isRepaired = false
        let document = try entry(place.range, keepsContents: true, &isRepaired)
        guard let entry = try? HAREntry(document) else {
            throw FileError(.storage, "\(source.name) changed while it was read; try again")
        }
        var exchange = entry.exchange(fallback: place.fallback)
        if isRepaired {
            exchange.oddities.append("bytes of this entry that are not UTF-8 were replaced")
        }
        return exchange
    }

    // MARK: Finding the entries

    private func index() throws(FileError) {
        let start = try source.bytes(0..<min(4_096, source.count))
        if let detail = ArchiveNature.detail(of: start) {
            throw FileError(
                .malformed, "\(source.name) is not an HTTP archive: it is \(detail)")
        }
        let mark = start.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
        var splitter = HARSplitter(offset: mark)
        var parts: [HARSplitter.Part] = []
        while splitter.offset < source.count {
            let end = min(source.count, splitter.offset + ArchiveSource.block)
            let block = try source.bytes(splitter.offset..<end)
            parts.removeAll(keepingCapacity: true)
            do {
                try splitter.consume(block.span, into: &parts)
            } catch {
                throw fileError(error, start)
            }
            for part in parts { try take(part) }
        }
        do {
            try splitter.finish()
        } catch {
            throw fileError(error, start)
        }
    }

    private func take(_ part: HARSplitter.Part) throws(FileError) {
        switch part {
        case .member("creator", let range) where range.count <= Self.largestMember:
            var isRepaired = false
            let node = try scan(range, &isRepaired).root
            creator = [node["name"], node["version"]].compactMap { HARNumber.text($0) }
                .filter { !$0.isEmpty }.joined(separator: " ")
        case .member: break
        case .entry(let range):
            entries += 1
            var isRepaired = false
            let document = try entry(range, keepsContents: false, &isRepaired)
            do throws(HAREntry.LeftOut) {
                let entry = try HAREntry(document)
                if let start = entry.archivedStart {
                    if lastStart == 0 { date(places.indices, start) }
                    lastStart = start
                }
                places.append(
                    Place(
                        range: range, start: entry.started(fallback: lastStart),
                        fallback: lastStart))
            } catch {
                leftOut[error.rawValue, default: 0] += 1
            }
        }
    }

    /// Entries before the first with a start time count as starting then.
    private func date(_ undated: Range<Int>, _ start: Int64) {
        for index in undated {
            places[index].start += start
            places[index].fallback = start
        }
    }

    /// The entry in `range`; without `keepsContents`, the large ones are only checked.
    private func entry(
        _ range: Range<Int>, keepsContents: Bool, _ isRepaired: inout Bool
    ) throws(FileError) -> HARDocument {
        guard range.count > HARContents.smallest else {
            return HARDocument(try scan(range, &isRepaired))
        }
        try checkSize(range)
        var contents = HARContents(keepsContents: keepsContents)
        while contents.offset < range.count {
            let start = range.lowerBound + contents.offset
            let end = min(range.upperBound, start + ArchiveSource.block)
            let block = try source.bytes(start..<end)
            do {
                try contents.consume(block.span, isLast: end == range.upperBound)
            } catch {
                throw fileError(error, at: range.lowerBound + error.offset)
            }
        }
        isRepaired = contents.isRepaired
        let document = try scan(contents.text, &isRepaired) {
            range.lowerBound + contents.place(of: $0)
        }
        return HARDocument(document, contents: contents.contents)
    }

    private func checkSize(_ range: Range<Int>) throws(FileError) {
        guard range.count > Self.largestEntry else { return }
        throw FileError(
            .malformed,
            "\(source.name): the entry at byte \(range.lowerBound) has \(range.count) bytes, "
                + "more than \(Self.largestEntry); export it without that body")
    }

    /// The JSON in `range`; bytes that are not UTF-8 are replaced.
    private func scan(
        _ range: Range<Int>, _ isRepaired: inout Bool
    ) throws(FileError) -> JSONDocument {
        try checkSize(range)
        return try scan(source.bytes(range), &isRepaired) { range.lowerBound + $0 }
    }

    /// The JSON in `bytes`, which are at `place` in the file; what is not UTF-8 is replaced.
    private func scan(
        _ bytes: [UInt8], _ isRepaired: inout Bool, place: (Int) -> Int
    ) throws(FileError) -> JSONDocument {
        let limits = JSONLimits(values: Self.maxValues)
        do throws(JSONError) {
            do throws(JSONError) {
                return try JSONDocument.scan(bytes, limits: limits)
            } catch .invalidUTF8 {
                isRepaired = true
                let repaired = Array(String(decoding: bytes, as: UTF8.self).utf8)
                return try JSONDocument.scan(repaired, limits: limits)
            }
        } catch {
            throw fileError(error, at: place(error.offset))
        }
    }

    private func fileError(_ error: JSONError, at place: Int) -> FileError {
        FileError(.malformed, "\(source.name): at byte \(place): \(error); export it again")
    }

    private func fileError(_ failure: HARSplitter.Failure, _ start: [UInt8]) -> FileError {
        let detail: String
        switch failure {
        case .noObject, .noEntries: detail = "is \(ArchiveNature.detail(ofJSON: start))"
        case .cut(let entry, let offset):
            detail =
                "ends at byte \(offset), in or before entry \(entry): it was cut off; export it again"
        case .trailing(let offset):
            detail = "continues after its end at byte \(offset); cut that off"
        }
        return FileError(.malformed, "\(source.name) \(detail)")
    }
}
