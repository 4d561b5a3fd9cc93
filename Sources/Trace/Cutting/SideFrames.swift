import Wire

/// A WebSocket frame in what one peer had.
package struct SideFrame: Hashable, Sendable {
    /// The stream.
    package var stream: SideBytes.Stream
    /// Places of the whole frame, as far as it is there.
    package var range: Range<Int>
    /// Bytes of its header, with the masking key.
    package var header: Int
    /// The masking key, big-endian.
    package var mask: UInt32?
    /// The first byte: FIN, the reserved bits and the opcode.
    package var first: UInt8

    /// Places of the payload.
    package var payload: Range<Int> {
        min(range.lowerBound + header, range.upperBound)..<range.upperBound
    }

    /// Whether the first frame of a message says that the message is compressed.
    package var isCompressed: Bool { first & 0x40 != 0 }
}

/// Finds the frames of the messages of one side of a connection in what that peer had.
///
/// Rows say where frames begin. How long they are is read from them, since those of a message that
/// both peers had alike may be framed otherwise on each side.
package struct SideFrames {
    private struct Start {
        var place: SideBytes.Place
        var message: Int
    }

    private let bytes: SideBytes
    private var starts: [SideBytes.Stream: [Start]] = [:]
    private var messages = 0

    /// No frames yet of what a peer had.
    package init(in bytes: SideBytes) { self.bytes = bytes }

    /// Adds a message whose frames begin at these places.
    ///
    /// - Returns: Its index in ``all()``.
    @discardableResult package mutating func add(_ places: [SideBytes.Place]) -> Int {
        for place in places {
            starts[place.stream, default: []].append(Start(place: place, message: messages))
        }
        messages += 1
        return messages - 1
    }

    /// The frames of each message, in order.
    package func all() throws -> [[SideFrame]] {
        var found = [[SideFrame]](repeating: [], count: messages)
        for (stream, list) in starts {
            // Of several at one place the message that came first has the lower number.
            let sorted = list.sorted {
                ($0.place.first, $0.place.last, $0.message)
                    < ($1.place.first, $1.place.last, $1.message)
            }
            var end = 0
            for (index, start) in sorted.enumerated() {
                let next = index + 1 < sorted.count ? sorted[index + 1].place : nil
                var place = max(start.place.first, min(end, start.place.last))
                let bound = max(place, next?.last ?? bytes.count(stream))
                repeat {
                    guard let frame = try frame(at: place, upTo: bound, in: stream) else { break }
                    // Only a frame that continues a message is of the one before it.
                    if place > start.place.last, frame.first & 0x0F != 0 { break }
                    found[start.message].append(frame)
                    place = frame.range.upperBound
                } while place < next?.first ?? bound
                end = max(end, place)
            }
        }
        return found
    }

    /// The frame that begins at a place, as far as it is there.
    private func frame(
        at place: Int, upTo bound: Int, in stream: SideBytes.Stream
    ) throws -> SideFrame? {
        let head = try bytes.read(stream, place..<min(place + 14, bound))
        guard let first = head.first else { return nil }
        guard head.count > 1 else {
            return SideFrame(
                stream: stream, range: place..<bound, header: 1, mask: nil, first: first)
        }
        var header = 2
        var size = UInt64(head[1] & 0x7F)
        if size >= 126 {
            let width = size == 126 ? 2 : 8
            size = head.dropFirst(2).prefix(width).reduce(0) { $0 << 8 | UInt64($1) }
            header += width
        }
        var mask: UInt32?
        if head[1] & 0x80 != 0 {
            if head.count >= header + 4 {
                mask = head[header..<header + 4].reduce(0) { $0 << 8 | UInt32($1) }
            }
            header += 4
        }
        let room = bound - place
        let count = size > UInt64(room) ? room : min(room, header + Int(size))
        return SideFrame(
            stream: stream, range: place..<place + count, header: min(header, count), mask: mask,
            first: first)
    }
}
