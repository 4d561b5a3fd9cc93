/// The outcome of the segments of a capture, in numbers that add up.
public struct StreamCounts: Hashable, Sendable {
    /// Why bytes of payload were not used.
    public enum Discarding: String, Hashable, Sendable, CaseIterable {
        /// They came after their connection was over.
        case afterClose = "after-close"
        /// Their place is after the sender's FIN.
        case afterEnd = "after-end"
        /// Their sequence number is over 1 GiB away from all others.
        case outsideWindow = "outside-window"
        /// Their place is before the first byte seen of a connection whose SYN was not.
        case beforeStart = "before-start"
        /// They had been given up as missing.
        case late
        /// A RST carried them.
        case inReset = "in-reset"

        /// The reason as it is shown, after "bytes that".
        public var detail: String {
            switch self {
            case .afterClose: "arrived after their connection had ended"
            case .afterEnd: "are after the end of their stream"
            case .outsideWindow: "have a sequence number far from all others"
            case .beforeStart: "are before the start of what was captured"
            case .late: "arrived after they were reported as missing"
            case .inReset: "arrived with a reset"
            }
        }
    }

    /// Segments seen.
    public internal(set) var segments: Int64 = 0
    /// Connections opened.
    public internal(set) var connections = 0
    /// Connections of which a SYN was seen, so that the roles are certain.
    public internal(set) var withHandshake = 0
    /// Connections of which none was seen.
    public var withoutHandshake: Int { connections - withHandshake }
    /// Segments with a RST that belongs to no connection, or is too far from it.
    public internal(set) var resetsIgnored: Int64 = 0

    /// Bytes of payload seen.
    public internal(set) var seen: Int64 = 0
    /// Bytes of payload delivered.
    public internal(set) var delivered: Int64 = 0
    /// Bytes of payload that had come before.
    ///
    /// Whether they are the same is only known while the first copy waits to be delivered.
    public internal(set) var duplicate: Int64 = 0
    /// Bytes of payload that had come before and were others then; the first are kept.
    public internal(set) var conflicting: Int64 = 0
    /// Bytes of payload that wait for others; 0 after the end.
    public internal(set) var waiting: Int64 = 0
    /// Bytes of payload that were not used, by reason; reasons that did not occur are not there.
    public internal(set) var discarded: [Discarding: Int64] = [:]
    /// Bytes that are missing in what was delivered, ``cutOff`` among them.
    public internal(set) var missing: Int64 = 0
    /// Bytes that are missing as their segment was captured in part.
    public internal(set) var cutOff: Int64 = 0

    /// No segments yet.
    public init() {}

    /// Bytes of payload that were not used for any reason.
    public var discardedInAll: Int64 { discarded.values.reduce(0, +) }

    /// Whether every byte seen is in exactly one of the other numbers; it always is.
    public var isBalanced: Bool {
        seen == delivered + duplicate + conflicting + waiting + discardedInAll
    }

    mutating func discard(_ count: Int, _ reason: Discarding) {
        guard count > 0 else { return }
        discarded[reason, default: 0] += Int64(count)
    }
}
