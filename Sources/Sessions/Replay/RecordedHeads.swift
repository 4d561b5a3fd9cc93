import Platform
import Synchronization
package import Wire

/// A cache of heads: those of a server are often identical.
package final class RecordedHeads: Sendable {
    /// The maximum number of heads that are kept.
    private static let most = 1024
    /// Bytes of the largest that is kept.
    private static let maxBytes = 4096

    private struct Known {
        var heads: [Key: RecordedHead] = [:]
        /// The last one of each peer: the next is the same often, and is compared sooner than hashed.
        var last: [(bytes: Key, head: RecordedHead)?] = [nil, nil]
    }

    private let known = Mutex(Known())

    /// The bytes of a head, compared and hashed all at once.
    private struct Key: Hashable {
        let bytes: [UInt8]

        static func == (one: Key, other: Key) -> Bool {
            one.bytes.withUnsafeBytes { one in
                other.bytes.withUnsafeBytes { other in
                    guard one.count == other.count else { return false }
                    guard let one = one.baseAddress, let start = other.baseAddress else {
                        return true
                    }
                    return memcmp(one, start, other.count) == 0
                }
            }
        }

        func hash(into hasher: inout Hasher) {
            bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
        }
    }

    /// Reads the bytes of a head as the trace keeps them; of a request and a response no two are
    /// the same.
    package func head(_ bytes: [UInt8], of sender: Peer) -> RecordedHead {
        let key = Key(bytes: bytes)
        let found = known.withLock { known -> RecordedHead? in
            if let last = known.last[sender.rawValue], last.bytes == key { return last.head }
            guard let head = known.heads[key] else { return nil }
            known.last[sender.rawValue] = (key, head)
            return head
        }
        if let found { return found }
        let head = RecordedHead(bytes, of: sender)
        guard bytes.count <= Self.maxBytes else { return head }
        known.withLock { known in
            if known.heads.count >= Self.most { known.heads.removeAll(keepingCapacity: true) }
            known.heads[key] = head
            known.last[sender.rawValue] = (key, head)
        }
        return head
    }
}
