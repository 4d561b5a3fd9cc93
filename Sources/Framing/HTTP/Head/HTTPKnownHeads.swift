/// Heads that were read lately, for those that come again.
///
/// On kept connections most heads are those of an earlier message byte by byte: of a client that
/// polls, and of a server that answers it. Such a head is compared and not read again, and what was
/// found in it is found by its ``HTTPHead/identity``. What a framer finds does not depend on this.
///
/// For all framers of one thread; keeps ``mostHeads`` heads of at most ``longest`` bytes.
public final class HTTPKnownHeads {
    /// The maximum number of heads that are kept, a power of 2.
    static let mostHeads = 64
    /// The maximum number of bytes of one that is kept.
    package static let longest = 2_048
    /// Number of first bytes that determine the place of a head.
    private static let distinguishing = 64

    // Safety: nothing that is called here calls anything but this.
    @exclusivity(unchecked) private var heads: [HTTPReadHead?] = []

    /// None yet.
    public init() {}

    /// The head that begins at `index` of `bytes`, if all of it is there and it was kept.
    func head(in bytes: borrowing Span<UInt8>, at index: Int) -> HTTPReadHead? {
        guard !heads.isEmpty else { return nil }
        let rest = bytes.extracting(index..<bytes.count)
        guard let head = heads[Self.place(rest)] else { return nil }
        let all = head.parts.bytes
        return rest.begins(with: all.span) ? head : nil
    }

    /// Keeps a head in place of another.
    func keep(_ head: HTTPReadHead) {
        let bytes = head.parts.bytes
        guard bytes.count <= Self.longest else { return }
        if heads.isEmpty { heads = Array(repeating: nil, count: Self.mostHeads) }
        heads[Self.place(bytes.span)] = head
    }

    /// Where a head is kept that begins `bytes`: by its first bytes, since its end is not known yet.
    private static func place(_ bytes: borrowing Span<UInt8>) -> Int {
        bytes.checksum(of: min(bytes.count, distinguishing)) & (mostHeads - 1)
    }
}
