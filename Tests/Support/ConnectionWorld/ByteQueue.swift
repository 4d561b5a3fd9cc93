/// Bytes that wait, oldest first.
struct ByteQueue {
    private var bytes: [UInt8] = []
    private var head = 0

    var count: Int { bytes.count - head }
    var isEmpty: Bool { head == bytes.count }
    var first: UInt8? { isEmpty ? nil : bytes[head] }

    /// What waits.
    var waiting: ArraySlice<UInt8> { bytes[head...] }

    mutating func append(_ more: [UInt8]) { bytes.append(contentsOf: more) }

    /// Takes the oldest, `most` at most.
    mutating func take(_ most: Int) -> [UInt8] {
        let end = min(bytes.count, head + most)
        let taken = Array(bytes[head..<end])
        drop(end - head)
        return taken
    }

    /// Takes bytes that have to come first.
    ///
    /// - Returns: Whether they do; where not, nothing is taken.
    mutating func take(expecting others: some Collection<UInt8>) -> Bool {
        guard others.count <= count, bytes[head..<head + others.count].elementsEqual(others) else {
            return false
        }
        drop(others.count)
        return true
    }

    /// Takes the oldest away.
    mutating func drop(_ count: Int) {
        head = min(bytes.count, head + count)
        guard head > 4_096, head * 2 > bytes.count else { return }
        bytes.removeFirst(head)
        head = 0
    }

    mutating func removeAll() {
        bytes = []
        head = 0
    }
}
