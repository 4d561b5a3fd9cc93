import Wire

/// Bytes that wait, oldest first.
struct ByteQueue {
    private var bytes: [UInt8] = []
    private var head = 0
    /// Bytes taken before, and with how many of all bytes each moment ended.
    private var taken = 0
    private var moments: [(end: Int, at: Instant)] = []
    private var firstMoment = 0

    var count: Int { bytes.count - head }
    var isEmpty: Bool { head == bytes.count }
    var first: UInt8? { isEmpty ? nil : bytes[head] }

    /// What waits.
    var waiting: ArraySlice<UInt8> { bytes[head...] }

    mutating func append(_ more: [UInt8]) { bytes.append(contentsOf: more) }

    /// Adds bytes that came at a moment.
    mutating func append(_ more: [UInt8], at: Instant) {
        append(more)
        moments.append((taken + count, at))
    }

    /// When the first of them came.
    var firstAt: Instant? { firstMoment < moments.count ? moments[firstMoment].at : nil }

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
        taken += min(bytes.count - head, count)
        head = min(bytes.count, head + count)
        while firstMoment < moments.count, moments[firstMoment].end <= taken { firstMoment += 1 }
        guard head > 4_096, head * 2 > bytes.count else { return }
        bytes.removeFirst(head)
        head = 0
    }

    mutating func removeAll() {
        bytes = []
        head = 0
    }
}
