import Dissection
import Faults
import Filters
import Notation
import Replaying
import Sessions
import Simperium
import SyncClients
import Trace
import Wire

/// Sends a recorded command of a Simperium client again, over a new socket.
struct SentChannelCommand {
    let reader: TraceReader
    let place: SendTarget
    let edits: [MessageEdit]
    let opensEditor: Bool
    /// Nanoseconds to wait for the answer.
    let patience: Int64
    /// Whether all that comes in this time is printed, beyond the answer.
    let waits: Bool
    let page: SendPage

    /// Sends it, and prints what comes.
    ///
    /// - Returns: Whether the answer is the recorded one; true where nothing was sent.
    func send(_ id: CommandID) async throws(Failure) -> Bool {
        let detail = try detail(id)
        guard detail.row.sender == .client else {
            throw Failure(.usage, "c\(id) was sent by the server; what a client sent is sent again")
        }
        let opened = try opening(of: detail)
        let recorded = SimperiumTarget(
            host: opened.host, port: opened.port, isSecure: opened.scheme == "https")
        let server = try place.server(recorded)
        let trust = try place.trust()
        let hidesToken = place.hidesCredentials(from: server, recorded: recorded)
        let isInit = detail.row.name == "init"
        var command = detail.text
        if isInit { command = try withToken(command, hidesToken, server) }
        for edit in edits {
            command = try SentExchange.reported { () throws(EditableTextError) in
                try edit.command(command)
            }
        }
        if opensEditor {
            guard let edited = try edited(command, detail, server) else {
                StandardError.warn("the text is empty: nothing was sent")
                return true
            }
            command = edited
        }
        command = anew(command, recorded: detail.text)
        var initialization: [UInt8]?
        if !isInit, detail.row.channel != nil {
            initialization = try withToken(try initCommand(detail), hidesToken, server)
        }
        let answer = try recordedAnswer(detail)
        let page = page
        page.begin(command, to: server, path: opened.path)
        let sent: SentCommand
        do throws(SendFailure) {
            sent = try await CommandSender(server, trust: trust).send(
                .init(
                    path: opened.path, opening: initialization, command: command, waits: waits),
                waiting: patience, received: { page.received($0) })
        } catch {
            throw Failure(error)
        }
        return try page.end(sent, of: command, recorded: answer)
    }

    // MARK: The recording

    private func detail(_ id: CommandID) throws(Failure) -> CommandDetail {
        let found = try reader.reading { reader throws(TraceError) in try reader.command(id) }
        guard let found else {
            throw Failure(
                .data,
                "there is no command \(id) in \(reader.path); `tapedeck ls \(reader.path)` lists what is"
            )
        }
        return found
    }

    /// The exchange that opened its socket.
    private func opening(of detail: CommandDetail) throws(Failure) -> ExchangeRow {
        let found = try reader.reading { reader throws(TraceError) -> ExchangeRow? in
            guard let message = try reader.message(detail.row.message) else { return nil }
            return try reader.exchange(message.row.exchange)?.row
        }
        guard let found else {
            throw Failure(
                .data, "the trace has no request that opened the socket of c\(detail.row.id)")
        }
        return found
    }

    /// The `init` of its channel, without a request of its own.
    private func initCommand(_ detail: CommandDetail) throws(Failure) -> [UInt8] {
        let wanted = try? Filter.parse("command:init sender:client")
        var found: CommandID?
        try reader.reading { reader throws(TraceError) in
            try reader.lines(wanted) { line in
                guard case .command(_, let row) = line, row.id < detail.row.id else { return false }
                if row.connection == detail.row.connection, row.channel == detail.row.channel {
                    found = row.id
                }
                return true
            }
        }
        guard let found else {
            throw Failure(.data, "the trace has no init of the channel of c\(detail.row.id)")
        }
        let text = try self.detail(found).text
        // What it requested would come before the answer.
        return Self.editing(text, "/cmd") { document, place throws(JSONDocument.EditError) in
            try document.removing(place)
        } ?? text
    }

    /// The first command of the server that answers it; nil where none was recorded.
    private func recordedAnswer(_ detail: CommandDetail) throws(Failure) -> [UInt8]? {
        let command = SimperiumCommand.parse(detail.text, from: .client)
        let name = command.name == "init" ? "auth" : command.name
        guard command.hasAnswer, let wanted = try? Filter.parse("command:\(name) sender:server")
        else { return nil }
        var candidates: [CommandID] = []
        try reader.reading { reader throws(TraceError) in
            try reader.lines(wanted) { line in
                guard case .command(_, let row) = line else { return true }
                let isLater = row.id > detail.row.id && row.connection == detail.row.connection
                if isLater, row.channel == detail.row.channel { candidates.append(row.id) }
                return candidates.count < 1000
            }
        }
        for id in candidates {
            let text = try self.detail(id).text
            if command.isAnswered(by: SimperiumCommand.parse(text, from: .server)) { return text }
        }
        return nil
    }

    // MARK: What is sent

    /// An `init` with the token that is to be used.
    private func withToken(
        _ text: [UInt8], _ hidesToken: Bool, _ server: SimperiumTarget
    ) throws(Failure) -> [UInt8] {
        guard let token = place.chosenToken else {
            guard hidesToken else { return text }
            throw Failure(
                .usage,
                "the recorded token is not for \(server.authority): name one with --token, or send it "
                    + "with --with-credentials")
        }
        return Self.editing(text, "/token") { document, place throws(JSONDocument.EditError) in
            try document.setting(place, to: Array(JSONString.quoted(token).utf8))
        } ?? text
    }

    /// A command with another JSON; nil where it has none, or not what is changed.
    private static func editing(
        _ text: [UInt8], _ place: String,
        _ edit: (JSONDocument, JSONPointer) throws(JSONDocument.EditError) -> [UInt8]
    ) -> [UInt8]? {
        let payload = SimperiumCommand.parse(text, from: .client).payload
        guard let place = JSONPointer(place),
            let document = try? JSONDocument.scan(Array(text[payload])),
            let edited = try? edit(document, place)
        else { return nil }
        return text[..<payload.lowerBound] + edited
    }

    /// The command of the text that the user leaves: that of the object after a change where the
    /// trace has the one before; nil where the text was emptied.
    private func edited(
        _ command: [UInt8], _ detail: CommandDetail, _ server: SimperiumTarget
    ) throws(Failure) -> [UInt8]? {
        let remark = "# To \(SentExchange.origin(server)). An empty text sends nothing.\n"
        let known = ChangeBase(reader: reader)
        if let bucket = detail.row.bucket,
            let change = try known.change(command, from: .client, in: bucket, detail.row.id)
        {
            return try TextEditor.edit(change.text, remark: remark) {
                text throws(EditableTextError) in
                try change.command(text)
            }
        }
        return try TextEditor.edit(
            EditableText.text(ofCommand: command, from: .client), remark: remark
        ) { text throws(EditableTextError) in
            try EditableText.command(text, inPlaceOf: command, from: .client)
        }
    }

    /// A change that was edited gets a ccid of its own: with the recorded one, a server would take it
    /// for the change that it has.
    private func anew(_ command: [UInt8], recorded: [UInt8]) -> [UInt8] {
        let ccids = { (text: [UInt8]) -> [String] in
            guard case .changes(let changes) = SimperiumCommand.parse(text, from: .client).body
            else { return [] }
            return changes.flatMap(\.ccids)
        }
        guard command != recorded, let old = ccids(recorded).first, ccids(command) == [old] else {
            return command
        }
        let new = String((0..<32).map { _ in "0123456789abcdef".randomElement() ?? "0" })
        let edited = Self.editing(command, "/ccid") {
            document, place throws(JSONDocument.EditError) in
            try document.setting(place, to: Array(JSONString.quoted(new).utf8))
        }
        guard let edited, ccids(edited) == [new] else { return command }
        StandardError.warn("the edited change has a ccid of its own: \(new)")
        return edited
    }
}
