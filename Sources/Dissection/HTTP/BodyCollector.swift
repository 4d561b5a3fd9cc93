package import Framing
import OpenRosa
package import Wire

/// Reads the content of one side of an exchange as it arrives: undoes its codings, keeps its first
/// bytes, and inspects what the bytes mean.
///
/// Its memory does not depend on the size of the content.
package final class BodyCollector {
    // Safety of all that follows: the exchange has one call done at a time, and none leads to another.

    /// Trailer fields, once they have come.
    @exclusivity(unchecked) package var trailers: [UInt8] = []

    @exclusivity(unchecked) private var head: [UInt8]
    /// Whether ``head`` is what cannot be read as one, and may continue.
    @exclusivity(unchecked) private var isUnread = false
    @exclusivity(unchecked) private var headPlace: Place?
    private let exchange: ExchangeID
    private let sender: Peer
    private let limits: DissectionLimits
    private let status: Int?
    private let contentType: String?
    @exclusivity(unchecked) private var coding = ""
    @exclusivity(unchecked) private var decoder: ContentDecoder?
    @exclusivity(unchecked) private var content: [UInt8] = []
    /// Bytes that the head announces of a content without coding; 0 where it announces none.
    @exclusivity(unchecked) private var announced = 0
    /// Where the content stands, as long as all that is kept of it stands in chunks.
    @exclusivity(unchecked) private var parts: [ContentPart]? = []
    @exclusivity(unchecked) private var size: Int64 = 0
    @exclusivity(unchecked) private var wireSize: Int64 = 0
    @exclusivity(unchecked) private var text = UTF8Check()
    @exclusivity(unchecked) private var problem: String?
    @exclusivity(unchecked) private var meaning: BodyMeaning?
    @exclusivity(unchecked) private var isFinished = false
    /// Whether others needed the room.
    @exclusivity(unchecked) private(set) var isShed = false
    /// Whether the content has a coding that is no longer decoded.
    @exclusivity(unchecked) private var isCoded = false
    /// Number of bytes of the content that are missing.
    @exclusivity(unchecked) private var missing: Int64 = 0
    /// Offset in the content as sent of the first of them.
    @exclusivity(unchecked) private var firstMissing: Int64 = 0

    /// A collector of the content behind `head`.
    package convenience init(
        head: HTTPHead, at place: Place?, exchange: ExchangeRow, sender: Peer,
        limits: DissectionLimits, status: Int? = nil
    ) {
        self.init(
            head: head, BodyFacts(head), at: place, exchange: exchange, sender: sender,
            limits: limits, status: status)
    }

    /// A collector of the content behind `head`, of which `facts` are.
    init(
        head: HTTPHead, _ facts: BodyFacts, at place: Place?, exchange: ExchangeRow, sender: Peer,
        limits: DissectionLimits, status: Int? = nil
    ) {
        self.head = head.bytes
        headPlace = place
        self.exchange = exchange.id
        self.sender = sender
        self.limits = limits
        self.status = status
        contentType = facts.contentType
        if let codings = facts.coding {
            coding = codings
            do {
                // RFC 9659: 8 MiB is what a decoder of zstd content has to offer.
                decoder = try ContentDecoder(
                    codings: codings,
                    limits: ContentDecodingLimits(
                        maxDecodedBytes: limits.decodedContent, maxWindowLog: 23))
            } catch {
                problem = error.description
                coding = ""
            }
        } else {
            announced = facts.announced
        }
        meaning = BodyMeaning(
            facts, status: status, exchange: exchange, sender: sender, limits: limits)
    }

    /// A collector for a request whose head cannot be read.
    init(unread bytes: [UInt8], exchange: ExchangeRow, sender: Peer, limits: DissectionLimits) {
        head = bytes
        isUnread = true
        headPlace = nil
        self.exchange = exchange.id
        self.sender = sender
        self.limits = limits
        status = nil
        contentType = nil
    }

    /// The maximum number of bytes kept of a line that cannot be read.
    private static let longestUnread = 1024

    /// Takes what follows a head that cannot be read: the rest of its first line is worth showing.
    func takeUnread(_ bytes: borrowing Span<UInt8>) {
        guard isUnread else { return }
        for index in bytes.indices {
            guard head.last != 0x0A, head.count < Self.longestUnread else {
                isUnread = false
                return
            }
            head.append(bytes[index])
        }
    }

    /// Bytes that it holds, roughly, and the same for the same content.
    var heldBytes: Int {
        head.count + content.count + trailers.count + (decoder?.heldBytes ?? 0)
            + (meaning?.heldBytes ?? 0)
    }

    /// The maximum number of bytes of a head and of content that are kept of a discarded body.
    static let leftOfShed = 4096

    /// Discards nearly all that was collected; what follows is only counted.
    ///
    /// - Parameters:
    ///   - detail: Why.
    ///   - out: Gets the rows of what was found.
    func shed(_ detail: String, to out: DissectorOutput) {
        guard !isShed else { return }
        isShed = true
        // What was found of its documents so far counts.
        if let found = meaning?.finish(isCut: true, to: out) { problem = problem ?? found }
        meaning = nil
        problem = problem ?? detail
        isCoded = isCoded || decoder != nil
        decoder = nil
        content = Array(content.prefix(Self.leftOfShed))
        text = UTF8Check()
        text.consume(content.span)
        if head.count > Self.leftOfShed {
            head = Array(head.prefix(Self.leftOfShed))
            headPlace = nil
        }
    }

    /// Records why nothing more of the content can be separated from what follows it.
    func giveUp(_ detail: String) { problem = problem ?? detail }

    /// Processes the next bytes of the content, without transfer coding.
    ///
    /// `place` is their position in a chunk as received, if they are in one.
    package func take(_ bytes: borrowing Span<UInt8>, at place: Place?, to out: DissectorOutput) {
        note(bytes.count, at: place)
        wireSize += Int64(bytes.count)
        guard !isShed else {
            if !isCoded { size += Int64(bytes.count) }
            return
        }
        guard missing == 0 else {
            if decoder == nil { size += Int64(bytes.count) }
            return
        }
        guard let decoder else {
            takeDecoded(bytes, to: out)
            return
        }
        guard problem == nil else { return }
        do {
            try decoder.decode(bytes) { self.takeDecoded($0, to: out) }
        } catch {
            problem = error.description
        }
    }

    /// Skips `count` bytes of the content that are missing.
    ///
    /// What follows them is counted and not kept: joined to what came before, it would be content
    /// that was never sent.
    package func skip(_ count: Int64) {
        guard count > 0 else { return }
        if missing == 0 { firstMissing = wireSize }
        missing = missing.advanced(past: count)
        wireSize = wireSize.advanced(past: count)
        if decoder == nil { size = size.advanced(past: count) }
    }

    /// Records that the rest of the content is unknown, since bytes are missing.
    func lose() {
        problem = problem ?? "bytes are missing from byte \(wireSize) as sent on"
    }

    private func takeDecoded(_ bytes: borrowing Span<UInt8>, to out: DissectorOutput) {
        size += Int64(bytes.count)
        let room = limits.storedContent - content.count
        if room > 0 {
            let part = bytes.extracting(0..<min(room, bytes.count))
            text.consume(part)
            // Growing to twice its size is too much for the last time, and needless where its size is
            // announced: believed once a part of it has come.
            let most = min(limits.storedContent, announced > 0 ? announced : .max)
            let share = announced > 0 ? 16 : 2
            if content.count + part.count > most / share, content.capacity < most {
                content.reserveCapacity(most)
            }
            part.withUnsafeBufferPointer { content.append(contentsOf: $0) }
        }
        meaning?.take(bytes, to: out)
    }

    /// Emits the rows of what was received; a second call does nothing.
    package func finish(isCut: Bool, to out: DissectorOutput) {
        guard !isFinished else { return }
        isFinished = true
        let isCut = isCut || missing > 0
        if missing > 0 {
            problem =
                problem
                ?? "\(missing) bytes are missing, the first at byte \(firstMissing) as sent; "
                + "what follows is not decoded"
        } else if let decoder, problem == nil, !isCut || wireSize > 0 {
            do {
                if wireSize > 0 { try decoder.finish() }
            } catch {
                problem = error.description
            }
        }
        let isShort = size > Int64(content.count) || missing > 0 || isShed
        var isText = text.firstInvalidOffset == nil
        if isText, !text.isComplete {
            if isShort { trimToCharacter() } else { isText = false }
        }
        if let kind = status, kind == 406, !isCut, !isShed {
            if isShort { meaning?.refuseActionable() } else { meaning?.readActionable(content) }
        }
        if let found = meaning?.finish(isCut: isCut, to: out) { problem = problem ?? found }
        var row = BodyRow(
            exchange: exchange, sender: sender, head: head, trailers: trailers, content: content,
            isText: isText, size: size, wireSize: wireSize, coding: coding,
            contentType: contentType, problem: problem)
        row.headPlace = headPlace
        // What was decoded differs from the chunks.
        if decoder == nil, !isCoded { row.contentParts = parts(of: content.count) }
        out.emit(.body(row))
    }

    /// Remembers where bytes of the content stand that are kept.
    private func note(_ count: Int, at place: Place?) {
        guard var parts, count > 0, wireSize < Int64(limits.storedContent) else { return }
        self.parts = nil
        // Written down, these would not be much shorter than what stands there.
        guard let place, parts.count < 8 || Int64(parts.count * Self.leastOfPart) < wireSize else {
            return
        }
        if let last = parts.indices.last, parts[last].place.chunk == place.chunk,
            parts[last].place.offset + parts[last].count == place.offset
        {
            parts[last].count += count
        } else {
            parts.append(ContentPart(place: place, count: count))
        }
        self.parts = parts
    }

    /// Where the first `count` bytes of the content stand.
    private func parts(of count: Int) -> [ContentPart] {
        var kept: [ContentPart] = []
        var rest = count
        for part in parts ?? [] where rest > 0 {
            kept.append(ContentPart(place: part.place, count: min(part.count, rest)))
            rest -= part.count
        }
        return rest <= 0 ? kept : []
    }

    /// Bytes that a part of the content has on average, at least, to be written down as a place.
    private static let leastOfPart = 128

    /// Takes the last character off that the bound on stored bytes has cut.
    private func trimToCharacter() {
        while let last = content.last, last & 0xC0 == 0x80 { content.removeLast() }
        if let last = content.last, last >= 0xC0 { content.removeLast() }
    }
}
