import Dissection
import Faults
import Framing
import Redaction
import Sessions
import SyncClients
import Trace
import Wire

/// Sends the request of a recorded exchange again.
struct SentExchange {
    let reader: TraceReader
    let place: SendTarget
    let edits: [MessageEdit]
    let opensEditor: Bool
    /// Nanoseconds to wait for the answer.
    let patience: Int64
    let page: SendPage

    /// Sends it, and prints the answer.
    ///
    /// - Returns: Whether the answer is the recorded one; true where nothing was sent.
    func send(_ id: ExchangeID) async throws(Failure) -> Bool {
        let found = try reader.reading { reader throws(TraceError) in try reader.exchange(id) }
        guard let detail = found else {
            throw Failure(
                .data,
                "there is no exchange \(id) in \(reader.path); `tapedeck ls \(reader.path)` lists what is"
            )
        }
        let recorded = SimperiumTarget(
            host: detail.row.host, port: detail.row.port,
            isSecure: detail.row.scheme == "https")
        let server = try place.server(recorded)
        let trust = try place.trust()
        guard let request = try request(detail, recorded, server) else {
            StandardError.warn("the text is empty: nothing was sent")
            return true
        }
        do throws(SendFailure) {
            let answer = try await RequestSender(server, trust: trust).send(
                request.bytes, method: request.method, waiting: patience)
            return page.show(answer, to: request, at: server, recorded: detail)
        } catch {
            throw Failure(error)
        }
    }

    /// The request that is sent; nil where the editor left nothing of it.
    private func request(
        _ detail: ExchangeDetail, _ recorded: SimperiumTarget, _ server: SimperiumTarget
    ) throws(Failure) -> RepeatedRequest? {
        let bytes = try bytes(detail, .sent)
        let authority =
            place.to == nil ? try host(detail) ?? recorded.authority : server.authority
        var request = try Self.reported { () throws(EditableTextError) in
            var request = try RepeatedRequest(bytes)
            try request.address(
                to: authority, prefix: server.prefix,
                origin: (Self.origin(recorded), Self.origin(server)))
            return request
        }
        if place.hidesCredentials(from: server, recorded: recorded) {
            try hideCredentials(&request, from: server)
        }
        for edit in edits {
            try Self.reported { () throws(EditableTextError) in try request.apply(edit) }
        }
        guard opensEditor else { return request }
        let text = try Self.reported { () throws(EditableTextError) in try request.text() }
        return try TextEditor.edit(
            text, remark: "# To \(Self.origin(server)). An empty text sends nothing.\n"
        ) { text throws(EditableTextError) in
            var edited = request
            try edited.read(text)
            return edited
        }
    }

    /// Leaves out what the recorded server alone may see, and reports it.
    private func hideCredentials(
        _ request: inout RepeatedRequest, from server: SimperiumTarget
    ) throws(Failure) {
        let inContent = request.contentNames(among: SendTarget.secrets(in: [.parameter, .member]))
        guard inContent.isEmpty else {
            throw Failure(
                .usage,
                "the content has \(inContent.joined(separator: ", ")), which \(server.authority) may "
                    + "not see; --with-credentials sends it")
        }
        let removed = try Self.reported { () throws(EditableTextError) in
            try request.remove(
                fields: SendTarget.secrets(in: [.field]),
                parameters: SendTarget.secrets(in: [.parameter]))
        }
        guard !removed.isEmpty else { return }
        StandardError.warn(
            "left out for \(server.authority): \(removed.joined(separator: ", ")); "
                + "--with-credentials sends them")
    }

    /// The `Host` that the recorded server got.
    private func host(_ detail: ExchangeDetail) throws(Failure) -> String? {
        let bytes = try bytes(detail, .received)
        var framer = HTTPFramer(role: .request)
        var events: [HTTPEvent] = []
        _ = framer.consume(bytes.span, into: &events)
        for case .head(let head, _) in events { return head.value(of: "host") }
        return nil
    }

    private func bytes(
        _ detail: ExchangeDetail, _ side: BytesSide
    ) throws(Failure) -> [UInt8] {
        var bytes: [UInt8] = []
        try reader.reading { reader throws(TraceError) in
            try reader.bytes(of: detail.row.id, sender: .client, side) { _, piece in
                bytes += piece
                return true
            }
        }
        return bytes
    }

    /// Scheme and authority of a server.
    static func origin(_ server: SimperiumTarget) -> String {
        "\(server.isSecure ? "https" : "http")://\(server.authority)"
    }

    /// The result of `body`, whose failure is one for the user.
    static func reported<Result>(
        _ body: () throws(EditableTextError) -> Result
    ) throws(Failure) -> Result {
        do throws(EditableTextError) {
            return try body()
        } catch {
            throw Failure(error)
        }
    }
}
