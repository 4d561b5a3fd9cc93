import Platform
import Synchronization
package import Wire

/// A cache of heads: those of a server are often identical.
package final class RecordedHeads: Sendable {
    /// The maximum number of heads that are kept.
    private static let most = 1024
    /// Bytes of the largest that is kept.
    private static let maxBytes = 4096

    private let known = Mutex<[Key: RecordedHead]>([:])

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
        if let head = known.withLock({ $0[Key(bytes: bytes)] }) { return head }
        let head = RecordedHead(bytes, of: sender)
        guard bytes.count <= Self.maxBytes else { return head }
        known.withLock { known in
            if known.count >= Self.most { known.removeAll(keepingCapacity: true) }
            known[Key(bytes: bytes)] = head
        }
        return head
    }
}
