import Framing
import Wire

/// What an HTTP conversation holds in memory of what is in progress.
extension HTTPConversation {
    /// Bytes for a chunk that is kept only to be pointed at.
    private static let placeBytes = 40

    private var requestHeadBytes: Int {
        requests.heldBytes + Self.placeBytes * max(0, requestPlaces.count - 1)
    }

    private var responseHeadBytes: Int {
        responses.heldBytes + Self.placeBytes * max(0, responsePlaces.count - 1)
    }

    private var heldRequest: BodyCollector? { reading?.request ?? early?.request }
    private var heldResponse: BodyCollector? { waiting.first?.response }

    /// Bytes that it holds.
    var heldBytes: Int {
        requestHeadBytes + responseHeadBytes + heldCount + (heldRequest?.heldBytes ?? 0)
            + (heldResponse?.heldBytes ?? 0)
    }

    /// Discards the largest part of it.
    func shed(at: Instant, detail: String) {
        let request = heldRequest.map { $0.isShed ? 0 : $0.heldBytes } ?? 0
        let response = heldResponse.map { $0.isShed ? 0 : $0.heldBytes } ?? 0
        let most = max(request, response, requestHeadBytes, responseHeadBytes, heldCount)
        // Less than what is left of it would free nothing.
        guard most > BodyCollector.leftOfShed else { return }
        if most == request {
            heldRequest?.shed(detail, to: output)
            tell(detail, .client, reading, at)
        } else if most == response {
            heldResponse?.shed(detail, to: output)
            tell(detail, .server, waiting.first, at)
        } else if most == heldCount {
            shedHeld(detail, at)
        } else if most == requestHeadBytes {
            shedRequestHead(detail, at)
        } else {
            shedResponseHead(detail, at)
        }
    }

    private func tell(_ detail: String, _ sender: Peer, _ exchange: OpenExchange?, _ at: Instant) {
        let place =
            sender == .client ? exchange?.row.requestPlace : exchange?.row.responsePlace
        note(
            ConversationNote.shed.rawValue, detail,
            at: (place ?? Place(chunk: ChunkID(0), offset: 0), at), sender, exchange)
    }

    /// The client's bytes after an upgrade request: decoding cannot continue after them.
    private func shedHeld(_ detail: String, _ at: Instant) {
        held = []
        heldCount = 0
        isHeldShed = true
        requests.giveUp()
        requestFailure = detail
        tell(detail, .client, waiting.last, at)
    }

    private func shedRequestHead(_ detail: String, _ at: Instant) {
        if requests.isInHead {
            giveUpHead(at: at, detail: detail)
            heldRequest?.shed(detail, to: output)
        } else {
            requests.giveUp()
            requestFailure = detail
            reading?.requestLoss = detail
        }
        requestPlaces.forget(before: requests.pendingOffset)
        tell(detail, .client, reading, at)
    }

    private func shedResponseHead(_ detail: String, _ at: Instant) {
        tell(detail, .server, waiting.first, at)
        responses.giveUp()
        responsePlaces.forget(before: responses.pendingOffset)
        finishWaiting(at: at, why: detail)
    }
}
