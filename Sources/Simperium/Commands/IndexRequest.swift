/// The payload of a client's `i`: four slots between colons.
///
/// The specification's prose calls them data, offset, mark and limit; its examples and every client
/// put the mark in the second.
public struct IndexRequest: Hashable, Sendable {
    /// Whether the data of each entity is requested as well.
    public var wantsData: Bool
    /// Second slot as sent.
    public var second: String
    /// Third slot as sent.
    public var third: String
    /// The maximum number of entries of the answer; nil where none is given.
    public var limit: Int?

    /// A request with these values.
    public init(wantsData: Bool, second: String = "", third: String = "", limit: Int?) {
        self.wantsData = wantsData
        self.second = second
        self.third = third
        self.limit = limit
    }

    /// Where the page begins: the slot that holds something; nil for the first page.
    public var mark: String? {
        if !second.isEmpty { return second }
        return third.isEmpty ? nil : third
    }

    /// The number of objects to leave out, where the second slot holds a number; nil otherwise.
    public var offset: Int? {
        guard !second.isEmpty, second.utf8.allSatisfy({ $0 &- 0x30 < 10 }) else { return nil }
        return Int(second)
    }

    /// The four slots as they are sent: `1:MARK::500`.
    public var slots: String {
        "\(wantsData ? "1" : ""):\(second):\(third):\(limit.map { String($0) } ?? "")"
    }

    /// Parses the slots, and notes their oddities.
    init(slots text: String, note: (SimperiumNote.Code) -> Void) {
        var slots = text.utf8.split(
            separator: 0x3A, maxSplits: 3, omittingEmptySubsequences: false
        ).map { String(Substring($0)) }
        if slots.count < 4 || slots[3].utf8.contains(0x3A) { note(.indexSlots) }
        while slots.count < 4 { slots.append("") }
        if slots[0] != "1", !slots[0].isEmpty { note(.indexDataSlot) }
        // `Int` would accept a sign.
        let isDigits = slots[3].utf8.allSatisfy { $0 &- 0x30 < 10 }
        let limit = isDigits ? Int(slots[3]) : nil
        if limit == nil { note(.indexLimit) }
        if let limit, limit < 1 || limit > 1_000 { note(.indexLimitRange) }
        if slots[3].utf8.count > 1, slots[3].utf8.first == 0x30 { note(.leadingZeros) }
        self.init(
            wantsData: slots[0] == "1", second: slots[1], third: slots[2], limit: limit)
        if !second.isEmpty, second.utf8.allSatisfy({ $0 &- 0x30 < 10 }) { note(.indexOffsetOrMark) }
        if second.isEmpty, !third.isEmpty { note(.indexMarkInThirdSlot) }
    }
}
