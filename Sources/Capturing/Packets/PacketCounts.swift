/// The outcome of the packets of a capture.
///
/// Every packet is in exactly one of three places: ``used``, one reason of ``ignored``, or
/// ``waiting``; so ``seen`` is always their sum. After ``PacketDecoder/finish()`` none is waiting.
public struct PacketCounts: Hashable, Sendable {
    /// Packets there were.
    public private(set) var seen = 0
    /// Packets that a segment was made of; each fragment of a joined one counts.
    public private(set) var used = 0
    /// Fragments that are kept until the others come.
    public private(set) var waiting = 0
    /// Packets of which nothing was made, by reason; only reasons that occurred.
    public private(set) var ignored: [IgnoringReason: Int] = [:]
    /// Packets of each link type that is not read; their sum is ``ignored`` for
    /// ``IgnoringReason/linkType``.
    public private(set) var unreadLinkTypes: [LinkType: Int] = [:]
    /// Segments that were given out; fewer than ``used`` where fragments were joined.
    public private(set) var segments = 0
    /// Segments of which the capture cut bytes off.
    public private(set) var cutOffSegments = 0
    /// Bytes that the capture cut off of segments.
    public private(set) var cutOffBytes: Int64 = 0

    /// No packets.
    public init() {}

    /// Packets that were ignored, for any reason.
    public var ignoredInAll: Int { ignored.values.reduce(0, +) }
    /// Whether every packet is in exactly one place.
    public var addsUp: Bool { seen == used + waiting + ignoredInAll }

    /// Counts a packet; its result is reported next.
    mutating func see() { seen += 1 }

    /// The packet became `segment`, with `fragments` others that were waiting.
    mutating func use(_ segment: TCPSegment, fragments: Int) {
        used += fragments + 1
        waiting -= fragments
        segments += 1
        guard segment.cutOff > 0 else { return }
        cutOffSegments += 1
        cutOffBytes += Int64(segment.cutOff)
    }

    /// The packet is kept.
    mutating func keep() { waiting += 1 }

    /// Nothing is made of the packet.
    mutating func ignore(_ reason: IgnoringReason) { ignored[reason, default: 0] += 1 }

    /// Nothing is made of a packet of this link type.
    mutating func ignore(unread link: LinkType) {
        ignore(.linkType)
        unreadLinkTypes[link, default: 0] += 1
    }

    /// Fragments wait no longer, and nothing is made of them.
    mutating func giveUp(_ fragments: Int, _ reason: IgnoringReason) {
        guard fragments > 0 else { return }
        waiting -= fragments
        ignored[reason, default: 0] += fragments
    }
}
