/// Where in a message the next byte of a direction belongs.
///
/// Two framers that were given the same bytes are at the same stage after each of them.
public enum HTTPStage: Hashable, Sendable {
    /// Between messages.
    case betweenMessages
    /// After a message that may change the protocol.
    case paused
    /// In a head, or in what precedes its first line.
    case head
    /// In content, so many bytes of which are to come; nil where its end is not known.
    case content(Int64?)
    /// Not framed, or not any more.
    case unframed
}

/// What a framer is in the middle of.
///
/// Inlinable, since otherwise whoever asks a framer that is a property of an object makes a copy of it.
extension HTTPFramer {
    /// Where the next byte belongs.
    public var stage: HTTPStage {
        switch phase {
        case .idle: .betweenMessages
        case .paused: .paused
        case .emptyLine, .head: .head
        case .length: .content(remaining)
        case .untilEnd, .chunked: .content(nil)
        case .opaque, .searching, .ended: .unframed
        }
    }

    /// Whether the framer waits for ``resume(_:)``.
    @inlinable public var isPaused: Bool { phase == .paused }

    /// Whether all messages begun are complete, and nothing of the next has come.
    @inlinable public var isBetweenMessages: Bool { phase == .idle || phase == .paused }

    /// Whether it goes on from here as a new one does that begins at ``streamOffset``.
    @inlinable public var isLikeNew: Bool {
        phase == .idle && expected.isLikeNew && seen.items.isEmpty && failedHead == nil
    }

    /// Whether the bytes that follow are not framed any more.
    @inlinable public var isOpaque: Bool { phase == .opaque }

    /// Whether bytes are missing and no start line has been found after them yet.
    @inlinable public var isSearching: Bool { phase == .searching }

    /// Whether a head is in progress.
    @inlinable public var isInHead: Bool { phase == .head }

    /// Whether the request line of a head in progress names no version, as in HTTP/0.9, where
    /// nothing follows it (RFC 1945, 5).
    public var isInHeadWithoutVersion: Bool {
        role == .request && isInHead && scanner.startLineEnd > 0
            && scanner.startLine.third.isEmpty
    }

    /// Number of bytes that are buffered until a head or trailer section is complete.
    @inlinable public var heldBytes: Int {
        phase == .head || phase == .chunked ? heldWithin : 0
    }

    /// Bytes that are buffered of a head or a trailer section.
    @usableFromInline var heldWithin: Int {
        phase == .chunked ? chunks.heldBytes : scanner.held.count
    }
}
