/// The datagrams that are put together of fragments.
struct DatagramTable {
    /// The outcome of a fragment, and of those that were waiting before it.
    enum Outcome: Equatable {
        /// It waits.
        case kept
        /// It is of no use.
        case ignored(IgnoringReason)
        /// It contradicts this many others, and none is of use.
        case contradicted(Int)
        /// With this many others it is all of a datagram.
        case complete([UInt8], upper: UInt8, others: Int)
    }

    private var datagrams: [Datagram.Key: Datagram] = [:]
    /// In the order in which they began; also those that are done with.
    private var order: [(key: Datagram.Key, number: Int)] = []
    /// How many at the front of ``order`` were inspected.
    private var passed = 0
    private var last = 0
    private var bytes = 0

    /// How many datagrams wait for fragments.
    var count: Int { datagrams.count }

    /// Drops what is too old at this time, and the oldest where there is no room for another.
    ///
    /// - Returns: How many fragments were given up.
    mutating func makeRoom(atUnixNanoseconds time: Int64) -> Int {
        var given = 0
        while passed < order.count {
            let oldest = order[passed]
            guard let datagram = datagrams[oldest.key], datagram.number == oldest.number else {
                passed += 1
                continue
            }
            let age = time.subtractingReportingOverflow(datagram.beganAtUnixNanoseconds)
            guard
                datagrams.count >= PacketDecoder.maxDatagrams
                    || bytes > PacketDecoder.maxFragmentBytes - Datagram.longest
                    || age.overflow || age.partialValue > PacketDecoder.fragmentNanoseconds
            else { break }
            given += datagram.fragments
            remove(oldest.key)
            passed += 1
        }
        // What was passed, and what is done with behind one that waits, is not kept for ever.
        if order.count > 4 * PacketDecoder.maxDatagrams {
            order = order[passed...].filter { datagrams[$0.key]?.number == $0.number }
            passed = 0
        }
        return given
    }

    /// Drops everything.
    ///
    /// - Returns: How many fragments that were.
    mutating func finish() -> Int {
        defer { self = DatagramTable() }
        return datagrams.values.reduce(0) { $0 + $1.fragments }
    }

    /// Processes a fragment; ``makeRoom(atUnixNanoseconds:)`` was called before.
    ///
    /// - Parameters:
    ///   - header: Its parsed headers, with a fragment.
    ///   - fragment: That fragment.
    ///   - content: All of its bytes.
    ///   - time: When it was received, in nanoseconds since 1970.
    /// - Returns: The outcome.
    mutating func add(
        _ header: InternetHeader, _ fragment: InternetHeader.Fragment, _ content: ArraySlice<UInt8>,
        atUnixNanoseconds time: Int64
    ) -> Outcome {
        // All but the last have a length that the offset of the next one can express.
        guard !content.isEmpty, fragment.offset + content.count <= Datagram.longest,
            !fragment.isFollowed || content.count % 8 == 0
        else { return .ignored(.malformed) }
        let key = Datagram.Key(
            source: header.source, destination: header.destination,
            identification: fragment.identification,
            upper: header.source.isVersion4 ? header.upper : 0)
        if datagrams[key] == nil {
            last += 1
            datagrams[key] = Datagram(number: last, beganAtUnixNanoseconds: time)
            order.append((key, last))
        }
        let before = datagrams[key]?.bytes ?? 0
        let addition = datagrams[key]?.add(fragment, upper: header.upper, content)
        bytes += (datagrams[key]?.bytes ?? 0) - before
        switch addition {
        case .kept: return .kept
        case .repeated, nil: return .ignored(.fragmentRepeated)
        case .contradicts: return .contradicted(remove(key)?.fragments ?? 0)
        case .complete(let whole):
            let done = remove(key)
            return .complete(
                whole, upper: done?.upper ?? header.upper, others: (done?.fragments ?? 1) - 1)
        }
    }

    @discardableResult
    private mutating func remove(_ key: Datagram.Key) -> Datagram? {
        let removed = datagrams.removeValue(forKey: key)
        bytes -= removed?.bytes ?? 0
        return removed
    }
}
