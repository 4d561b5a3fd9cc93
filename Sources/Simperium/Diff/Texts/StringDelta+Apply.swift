extension StringDelta {
    /// The string that `base` becomes.
    ///
    /// - Throws: ``DeltaError``: ``DeltaError/length(delta:base:fits:)`` where the counts are not
    ///   those of `base`, ``DeltaError/halfPair(unit:)`` where the result would be no text.
    public func apply(to base: String) throws(DeltaError) -> String {
        var base = base
        if let result = base.withUTF8({ apply(toUTF8: $0) }) { return result }
        return try applyByUnits(to: base)
    }

    /// The same for text in UTF-8; nil where the delta is not for it, or splits a surrogate pair.
    private func apply(toUTF8 base: UnsafeBufferPointer<UInt8>) -> String? {
        guard let lengths = byteLengths(in: base) else { return nil }
        var result: [UInt8] = []
        result.reserveCapacity(base.count)
        var place = 0
        for (step, length) in zip(steps, lengths) {
            switch step {
            case .keep: result.append(contentsOf: base[place..<place + length])
            case .drop: break
            case .insert(let text): result.append(contentsOf: text.utf8)
            }
            place += length
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Bytes that each step keeps or drops; nil where the delta is not for this text, or splits a
    /// surrogate pair.
    private func byteLengths(in base: UnsafeBufferPointer<UInt8>) -> [Int]? {
        var lengths: [Int] = []
        lengths.reserveCapacity(steps.count)
        var place = 0
        for step in steps {
            let start = place
            switch step {
            case .keep(var count), .drop(var count):
                while count > 0, place < base.count {
                    let byte = base[place]
                    place += byte < 0x80 ? 1 : byte < 0xE0 ? 2 : byte < 0xF0 ? 3 : 4
                    count -= byte < 0xF0 ? 1 : 2
                }
                guard count == 0 else { return nil }
            case .insert: break
            }
            lengths.append(place - start)
        }
        return place == base.count ? lengths : nil
    }

    private func applyByUnits(to base: String) throws(DeltaError) -> String {
        let units = Array(base.utf16)
        guard length == units.count else {
            throw .length(delta: length, base: units.count, fits: Self.fit(length, base))
        }
        var result: [UInt16] = []
        result.reserveCapacity(units.count)
        var place = 0
        for step in steps {
            switch step {
            case .keep(let count):
                result.append(contentsOf: units[place..<place + count])
                place += count
            case .drop(let count): place += count
            case .insert(let text): result.append(contentsOf: text.utf16)
            }
        }
        if let unit = Self.loneSurrogate(result) { throw .halfPair(unit: unit) }
        return String(decoding: result, as: UTF16.self)
    }

    /// Whether a step begins or ends between the two halves of a surrogate pair of `base`.
    public func splitsPair(of base: String) -> Bool {
        var base = base
        if base.withUTF8({ byteLengths(in: $0) != nil }) { return false }
        let units = Array(base.utf16)
        var place = 0
        for step in steps {
            switch step {
            case .keep(let count), .drop(let count):
                guard count <= units.count - place else { return false }
                place += count
                if place > 0, place < units.count, units[place - 1] & 0xFC00 == 0xD800,
                    units[place] & 0xFC00 == 0xDC00
                {
                    return true
                }
            case .insert: break
            }
        }
        return false
    }

    /// Other ways of counting by which `length` is that of `base`.
    private static func fit(_ length: Int, _ base: String) -> DeltaError.Counting? {
        if base.unicodeScalars.count == length { return .codePoints }
        if base.utf8.count == length { return .utf8Bytes }
        return nil
    }

    private static func loneSurrogate(_ units: [UInt16]) -> Int? {
        var place = 0
        while place < units.count {
            let unit = units[place]
            if unit & 0xF800 == 0xD800 {
                guard unit < 0xDC00, place + 1 < units.count,
                    units[place + 1] & 0xFC00 == 0xDC00
                else { return place }
                place += 1
            }
            place += 1
        }
        return nil
    }
}
