import Platform

/// Bytes that wait for the pipe of a program.
struct AddonOutput {
    private var pieces: [[UInt8]] = []
    private var first = 0
    private var offset = 0

    var isEmpty: Bool { first == pieces.count }

    mutating func append(_ bytes: [UInt8]) {
        // Small lines leave together, which saves calls.
        if !isEmpty, pieces.count - first > 1, pieces[pieces.count - 1].count < 32_768 {
            pieces[pieces.count - 1] += bytes
        } else {
            pieces.append(bytes)
        }
    }

    mutating func removeAll() {
        pieces = []
        (first, offset) = (0, 0)
    }

    /// Writes as much as the pipe takes now.
    ///
    /// - Returns: How many bytes, and whether nobody reads them any more.
    mutating func write(to descriptor: Int32) -> (count: Int, isBroken: Bool) {
        var total = 0
        while first < pieces.count {
            let count = pieces[first].withUnsafeBytes {
                Platform.write(descriptor, $0.baseAddress?.advanced(by: offset), $0.count - offset)
            }
            if count < 0 {
                if errno == EINTR { continue }
                guard errno == EAGAIN else {
                    removeAll()
                    return (total, true)
                }
                break
            }
            total += count
            offset += count
            if offset == pieces[first].count {
                pieces[first] = []
                first += 1
                offset = 0
            }
        }
        if first == pieces.count {
            removeAll()
        } else if first > 1_024 {
            pieces.removeFirst(first)
            first = 0
        }
        return (total, false)
    }
}
