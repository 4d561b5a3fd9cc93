import Synchronization
import Wire

/// Heads that were read already: those of a server often say the same many times.
final class RecordedHeads: Sendable {
    /// Most heads that are kept.
    private static let most = 1024
    /// Bytes of the largest that is kept.
    private static let mostBytes = 4096

    private let known = Mutex<[[UInt8]: RecordedHead]>([:])

    /// Reads the bytes of a head as the trace keeps them; of a request and a response no two are
    /// the same.
    func head(_ bytes: [UInt8], of sender: Peer) -> RecordedHead {
        if let head = known.withLock({ $0[bytes] }) { return head }
        let head = RecordedHead(bytes, of: sender)
        guard bytes.count <= Self.mostBytes else { return head }
        known.withLock { known in
            if known.count >= Self.most { known.removeAll(keepingCapacity: true) }
            known[bytes] = head
        }
        return head
    }
}
