import Addons
import Dissection
import Faults
import Wire

/// Events of tests.
enum Events {
    /// A text message.
    static func message(
        _ text: String, from sender: Peer = .server, at nanoseconds: Int64 = 0
    ) -> AddonEvent { AddonEvent(subject(text, sender, nanoseconds)) }

    private static func subject(_ text: String, _ sender: Peer, _ at: Int64) -> MessageSubject {
        MessageSubject(
            session: SessionID(1),
            row: MessageRow(
                id: MessageID(0), connection: ConnectionID(7), exchange: ExchangeID(0),
                sender: sender, at: Instant(nanoseconds: at), endedAt: Instant(nanoseconds: at),
                opcode: 1, payload: Array(text.utf8), isText: true, size: Int64(text.utf8.count),
                wireSize: Int64(text.utf8.count), isCompressed: false, frames: 1, closeCode: nil,
                problem: nil, place: Place(chunk: ChunkID(0), offset: 0)))
    }

    /// A command of a bucket, the whole text of which is `text`.
    static func command(_ text: String, name: String, bucket: String) -> AddonEvent {
        let start = text.utf8.count - (text.utf8.split(separator: 0x3A).last?.count ?? 0)
        return AddonEvent(
            CommandSubject(
                message: subject(text, .server, 0),
                row: CommandRow(
                    id: CommandID(0), message: MessageID(0), connection: ConnectionID(7),
                    position: 0, sender: .server, at: .zero, channel: 0, name: name,
                    bucket: bucket, app: "app", text: nil, payloadOffset: start,
                    payloadSize: text.utf8.count - start, key: nil, cv: nil, error: nil,
                    problem: nil)))
    }

    /// A request, or with a status its response.
    static func exchange(
        api: String = "commcare.submit", path: String = "/a/demo/receiver", status: Int? = nil,
        body: String = "<data/>"
    ) -> AddonEvent {
        var row = ExchangeRow(
            id: ExchangeID(1), connection: ConnectionID(7), api: api, method: "POST",
            scheme: "http", host: "server.example", port: 80, path: path, query: nil,
            version: "HTTP/1.1", startedAt: .zero,
            requestPlace: Place(chunk: ChunkID(0), offset: 0))
        row.status = status
        let request = BodyRow(
            exchange: ExchangeID(1), sender: .client,
            head: Array("POST \(path) HTTP/1.1\r\nHost: server.example\r\n\r\n".utf8),
            content: Array(body.utf8), size: Int64(body.utf8.count))
        let response = status.map { status in
            BodyRow(
                exchange: ExchangeID(1), sender: .server,
                head: Array("HTTP/1.1 \(status) Whatever\r\n\r\n".utf8),
                content: Array("done".utf8), size: 4)
        }
        return AddonEvent(
            status == nil ? .request : .response,
            of: AddonExchange(
                session: SessionID(1), row: row, request: request, response: response))
    }
}
