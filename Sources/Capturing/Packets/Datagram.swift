/// The fragments of one IP datagram, as far as received.
struct Datagram {
    /// The identity of the datagram of a fragment (RFC 791, 3.2; RFC 8200, 4.5).
    struct Key: Hashable {
        var source: IPAddress
        var destination: IPAddress
        var identification: UInt32
        /// The protocol, which counts in version 4 only; there the first fragment may come last.
        var upper: UInt8
    }

    /// What adding a fragment led to.
    enum Addition: Equatable {
        /// Others are missing.
        case kept
        /// Every byte of it was there.
        case repeated
        /// It and those before disagree about which bytes there are, or where the end is.
        case contradicts
        /// All are there.
        case complete([UInt8])
    }

    /// A number that no other datagram has.
    let number: Int
    /// When its first fragment came.
    let beganAtUnixNanoseconds: Int64
    /// The protocol in the fragment with the first byte.
    private(set) var upper: UInt8?
    /// How many fragments are kept.
    var fragments: Int { pieces.count }
    /// Bytes that the pieces take, each with ``costOfPiece``.
    private(set) var bytes = 0

    /// What a piece costs beside its bytes.
    static let costOfPiece = 64
    /// Longest datagram above its headers, in bytes: its length has 16 bits.
    static let longest = 65_535

    /// In order of their places, none overlapping another.
    private var pieces: [(place: Int, bytes: [UInt8])] = []
    private var held = 0
    private var length: Int?

    init(number: Int, beganAtUnixNanoseconds: Int64) {
        self.number = number
        self.beganAtUnixNanoseconds = beganAtUnixNanoseconds
    }

    /// Processes a fragment.
    ///
    /// Overlaps are treated as Linux does: what repeats bytes is skipped, and what overlaps others
    /// in part invalidates the datagram (RFC 5722; CVE-2018-5391 is why version 4 goes the same
    /// way).
    mutating func add(
        _ fragment: InternetHeader.Fragment, upper: UInt8, _ content: ArraySlice<UInt8>
    ) -> Addition {
        let range = fragment.offset..<fragment.offset + content.count
        if !fragment.isFollowed, (length ?? range.upperBound) != range.upperBound {
            return .contradicts
        }
        // The last piece ends where the datagram does, or nothing may begin after its end.
        let ends = fragment.isFollowed ? length : range.upperBound
        if let ends,
            max(range.upperBound, pieces.last.map { $0.place + $0.bytes.count } ?? 0) > ends
        {
            return .contradicts
        }
        // The first piece that ends after the beginning of the new one.
        var low = 0
        var high = pieces.count
        while low < high {
            let middle = (low + high) / 2
            if pieces[middle].place + pieces[middle].bytes.count > range.lowerBound {
                high = middle
            } else {
                low = middle + 1
            }
        }
        if low < pieces.count, pieces[low].place < range.upperBound {
            let isRepeated =
                pieces[low].place <= range.lowerBound
                && range.upperBound <= pieces[low].place + pieces[low].bytes.count
            return isRepeated ? .repeated : .contradicts
        }
        pieces.insert((range.lowerBound, Array(content)), at: low)
        held += content.count
        bytes += content.count + Self.costOfPiece
        if !fragment.isFollowed { length = range.upperBound }
        if fragment.offset == 0 { self.upper = upper }
        guard held == length else { return .kept }
        var whole: [UInt8] = []
        whole.reserveCapacity(held)
        for piece in pieces { whole += piece.bytes }
        return .complete(whole)
    }
}
