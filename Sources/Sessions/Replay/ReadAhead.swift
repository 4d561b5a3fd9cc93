import Dispatch
import Platform
package import Replaying
import Synchronization
package import Trace
package import Wire

/// The messages of a recording for a reader in about the order of the recording: a separate thread
/// reads ahead.
///
/// What was not read ahead is read on request.
package final class ReadAhead: Sendable {
    /// Bytes of contents with which a batch ends: three batches are there at most.
    private static let maxBytes = 1 << 20

    private let session: RecordedSession
    private let reader: Mutex<ReplayReader>
    private let queue = BlockingWork.queue("read-ahead", .userInitiated)
    private let window = Mutex(AheadWindow())

    /// Opens the trace of `session` once more.
    ///
    /// - Throws: ``TraceError`` with code `storage`.
    package init(_ session: RecordedSession) throws(TraceError) {
        self.session = session
        let reader = try ReplayReader(path: session.path)
        try reader.holdSnapshot()
        self.reader = Mutex(reader)
    }

    /// As ``RecordedSession/message(_:_:)``.
    package func message(_ id: ExchangeID, _ peer: Peer) -> ReplayMessage? {
        guard peer == .client else { return session.message(id, peer) }
        let (request, order) = window.withLock { $0.request(id) }
        if let order { queue.async { self.read(order) } }
        return request ?? session.message(id, peer)
    }

    /// As ``RecordedSession/response(_:)``.
    package func response(_ id: ExchangeID) -> RecordedResponse? {
        window.withLock { $0.response(id) } ?? session.response(id)
    }

    private func read(_ order: AheadWindow.Order) {
        var batch = AheadWindow.Batch(
            first: order.first, messages: Array(repeating: .init(), count: order.count))
        var bytes = 0
        let heads = session.heads
        var spares = window.withLock { $0.takeSpares() }
        reader.withLock { reader in
            // What cannot be read now is read on request, where the error is reported.
            try? reader.sides(from: order.first, count: order.count, using: &spares) {
                id, peer, side in
                guard let place = batch.place(of: id) else { return false }
                switch peer {
                case .client where side.isWhole:
                    batch.messages[place].request = side.message(side.content, of: peer, heads)
                case .server where side.isAsSent:
                    batch.messages[place].response = side.response(side.content, heads)
                case .client, .server: break
                }
                bytes += side.content.count
                guard bytes < Self.maxBytes else {
                    batch.messages.removeSubrange((place + 1)...)
                    return false
                }
                return true
            }
        }
        window.withLock { $0.add(batch) }
    }
}
