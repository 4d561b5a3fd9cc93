/// What is between the lengths of a pcapng block.
struct PcapngBody {
    /// The block's type.
    var type: UInt32
    /// Its place in the parser's buffer.
    var range: Range<Int>
    /// Where the block begins in the file.
    var offset: Int64

    /// The error for a block that is too short for its stated contents.
    var tooShort: PcapngError { .contents(type: type, offset: offset) }

    /// The part after the first `count` bytes.
    func dropping(_ count: Int) throws(PcapngError) -> Range<Int> {
        guard range.count >= count else { throw tooShort }
        return range.dropFirst(count)
    }
}
