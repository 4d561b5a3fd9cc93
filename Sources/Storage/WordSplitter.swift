/// Cuts text at ASCII characters other than letters and digits, and folds ASCII letters to lower
/// case: many bytes at once, where a tokenizer of FTS5 looks at each.
///
/// Its memory is a window of the text, however long that is.
struct WordSplitter {
    /// What a text consists of; the range is that of the text.
    enum Piece {
        /// A word of ASCII alone, folded; valid during the call only.
        case word(UnsafeRawBufferPointer, Range<Int>)
        /// A run without ASCII separators that has other scalars, or that is longer than the window.
        case other(Range<Int>)
    }

    /// The window, folded: 0 for separators.
    private let folded: UnsafeMutablePointer<UInt8>
    /// A bit for each byte of the window, from the lowest on, that is set in words; 0 behind the last.
    private let bits: UnsafeMutablePointer<UInt64>
    private let window: Int

    /// Bytes that one number has the bits of.
    private static let block = UInt64.bitWidth
    private static let lows: UInt64 = 0x7F7F_7F7F_7F7F_7F7F
    private static let tops: UInt64 = 0x8080_8080_8080_8080
    /// Brings the lowest bits of eight bytes together in the highest byte.
    private static let gather: UInt64 = 0x0102_0408_1020_4080

    /// A splitter, to be freed by ``deallocate()``.
    ///
    /// - Parameter window: Its bytes, at least 1.
    init(window: Int = 32 << 10) {
        self.window = window
        let blocks = (window + Self.block - 1) / Self.block
        folded = .allocate(capacity: blocks * Self.block)
        bits = .allocate(capacity: blocks + 1)
    }

    /// Frees its memory.
    func deallocate() {
        folded.deallocate()
        bits.deallocate()
    }

    /// Passes on every piece in the order of the text, until one is answered with other than 0.
    ///
    /// - Parameters:
    ///   - text: Any bytes.
    ///   - take: Takes a piece.
    /// - Returns: The last answer; 0 without a piece.
    func split(_ text: UnsafeRawBufferPointer, _ take: (Piece) -> Int32) -> Int32 {
        var position = 0
        while position < text.count {
            let size = min(window, text.count - position)
            let isASCII = fold(UnsafeRawBufferPointer(rebasing: text[position..<position + size]))
            let goesOn = position + size < text.count
            var words = Words(bits)
            // Where the next window begins.
            var next = position + size
            while words.next(before: size) {
                let (start, end) = (words.start, words.end)
                let answer: Int32
                if goesOn, end == size {
                    // The next window begins with this word, but where it fills one.
                    next = position + start
                    guard start == 0 else { break }
                    next = text[position...].firstIndex { Self.folded($0) == 0 } ?? text.count
                    answer = take(.other(position..<next))
                } else {
                    let range = Range(uncheckedBounds: (position &+ start, position &+ end))
                    let word = UnsafeRawBufferPointer(start: folded + start, count: end &- start)
                    let isWord = isASCII || word.allSatisfy { $0 < 0x80 }
                    answer = take(isWord ? .word(word, range) : .other(range))
                }
                guard answer == 0 else { return answer }
            }
            position = next
        }
        return 0
    }

    /// Runs of bits.
    private struct Words {
        private let bits: UnsafeMutablePointer<UInt64>
        private var block = 0
        /// The bits of the block that are behind the run found last.
        private var left: UInt64
        /// Where the run found last begins.
        private(set) var start = 0
        /// Where it ends.
        private(set) var end = 0

        init(_ bits: UnsafeMutablePointer<UInt64>) {
            self.bits = bits
            left = bits[0]
        }

        /// Finds the next run; whether there is one before the place `size`.
        mutating func next(before size: Int) -> Bool {
            while left == 0 {
                block &+= 1
                guard block &* WordSplitter.block < size else { return false }
                left = bits[block]
            }
            let first = left.trailingZeroBitCount
            start = block &* WordSplitter.block &+ first
            var gaps = ~left & (.max &<< UInt64(truncatingIfNeeded: first))
            if gaps == 0 {
                repeat { block &+= 1 } while bits[block] == .max
                left = bits[block]
                gaps = ~left
            }
            let last = gaps.trailingZeroBitCount
            end = block &* WordSplitter.block &+ last
            left &= .max &<< UInt64(truncatingIfNeeded: last)
            return true
        }
    }

    /// Fills the window; whether all is ASCII.
    ///
    /// Never inlined: its constants would be loaded anew for each word.
    @inline(never)
    private func fold(_ bytes: UnsafeRawBufferPointer) -> Bool {
        var all: UInt8 = 0
        for index in 0..<bytes.count {
            let byte = bytes[index]
            all |= byte
            folded[index] = Self.folded(byte)
        }
        let blocks = (bytes.count + Self.block - 1) / Self.block
        for index in bytes.count..<blocks * Self.block { folded[index] = 0 }
        let parts = UnsafeRawPointer(folded)
        for block in 0..<blocks {
            var found: UInt64 = 0
            for part in 0..<8 {
                let eight = UInt64(
                    littleEndian: parts.loadUnaligned(
                        fromByteOffset: block * Self.block + part * 8, as: UInt64.self))
                // The highest bit of each byte that is not 0.
                let words = ((eight & Self.lows) &+ Self.lows | eight) & Self.tops
                found |= ((words &>> 7 &* Self.gather) &>> 56) &<< UInt64(part * 8)
            }
            bits[block] = found
        }
        bits[blocks] = 0
        return all < 0x80
    }

    /// What a byte becomes within a word, 0 where it separates; without a branch, so that many are
    /// folded at once.
    private static func folded(_ byte: UInt8) -> UInt8 {
        let lower = byte | 0x20
        let stays = byte &- 0x30 < 10 || byte >= 0x80
        return lower &- 0x61 < 26 ? lower : stays ? byte : 0
    }
}
