import NIOCore
import Wire

/// How much is read at once, and what is read going on without a copy.
extension ProxyConnection {
    /// How much is read at once, before the other connections of the event loop have their turn.
    ///
    /// What one read brings is decoded and committed together, and a larger one of small messages
    /// would take too long.
    static let reads = ReadBuffers(largest: 32768)

    /// The same within a long body, which is stored as it is: the more is read at once, the less of it
    /// are calls, rows, and the ends of pages that are not filled.
    private static let contentReads = ReadBuffers(smallest: 131_072, largest: 131_072)

    /// From how much content on that is still to come larger reads begin, in bytes; they last until
    /// its end.
    private static let longContent: Int64 = 131_072

    /// Makes the next reads of a leg larger or smaller, by what is to come on it.
    func sizeReads(of leg: LegID, after count: Int) {
        // Most reads are small, and most connections never see a long body.
        guard isReadingContent || count >= ReadBuffers.kept, let line = lines[leg] else { return }
        // What a peer that is behind does not take would wait in memory.
        let isContent =
            relay.contentToCome(on: leg) >= (line.readsContent ? 1 : Self.longContent)
            && lines.all.allSatisfy { $0.waiting == 0 }
        guard isContent != line.readsContent, let options = line.channel.syncOptions else { return }
        line.readsContent = isContent
        isReadingContent = lines.all.contains(where: \.readsContent)
        // A channel that is closed meanwhile reads no more.
        try? options.setOption(
            .recvAllocator, value: isContent ? Self.contentReads : Self.reads)
    }

    /// The buffer that these bytes were read into, where they are all of one read and go on as they
    /// are; nil where they have to be copied.
    func asRead(_ bytes: [UInt8]) -> ByteBuffer? {
        // One that is mostly empty would be kept for few bytes as long as the peer takes none.
        guard let read, read.bytes.count == bytes.count,
            2 * bytes.count >= read.buffer.storageCapacity
        else { return nil }
        let isSame = bytes.withUnsafeBufferPointer { one in
            read.bytes.withUnsafeBufferPointer { $0.baseAddress == one.baseAddress }
        }
        return isSame ? read.buffer : nil
    }
}
