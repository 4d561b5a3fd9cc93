import Notation
import Wire

extension SimperiumMessage {
    /// What `command` says.
    ///
    /// Nil where the command could not be read, or is of another message.
    /// Nothing that was read is left out but the ranges; what was tolerated is gone, so that
    /// ``encoded(by:)`` writes the same command as it should have been sent.
    ///
    /// - Parameters:
    ///   - command: A command, from ``SimperiumCommand/parse(_:from:)``.
    ///   - message: The message it was read from.
    public init?(_ command: SimperiumCommand, in message: [UInt8]) {
        guard command.problem == nil, command.payload.upperBound <= message.count,
            let body = Body(command, message)
        else { return nil }
        self.init(command.channel, body)
    }
}

extension SimperiumMessage.Body {
    fileprivate init?(_ command: SimperiumCommand, _ message: [UInt8]) {
        switch command.body {
        case .initialize(var request):
            request.tokenRange = nil
            self = .initialize(request)
        case .auth(let reply): self = .auth(reply)
        case .indexRequest(let request): self = .indexRequest(request)
        case .indexPage(let page):
            self = .indexPage(
                SimperiumMessage.Page(
                    current: page.current, entries: page.entries.map { .init($0, in: message) },
                    mark: page.mark, count: page.count))
        case .unknownMark: self = .unknownMark
        case .entityRequest(let key, let version):
            self = .entityRequest(key: key, version: version)
        case .entity(let reply):
            switch reply.content {
            case .missing: self = .entity(key: reply.key, version: reply.version, data: nil)
            case .data(let range):
                guard let data = JSONValue(range, of: message) else { return nil }
                self = .entity(key: reply.key, version: reply.version, data: data)
            // Neither data nor the lack of it.
            case .other: self.init(asSent: command, message)
            }
        case .changesSince(let cv): self = .changesSince(cv: cv)
        case .unknownChangeVersion: self = .unknownChangeVersion(isLegacy: command.name == "c")
        case .changes(let changes):
            self = .changes(changes.map { SimperiumMessage.Change($0, in: message) })
        case .heartbeat(let count): self = .heartbeat(count)
        case .options(let options): self = .options(options)
        case .indexStateRequest: self = .indexStateRequest
        case .indexState(let state):
            self = .indexState(
                SimperiumMessage.State(
                    current: state.current, entries: state.entries.map { .init($0, in: message) },
                    pending: state.pending,
                    extra: state.extra.flatMap { JSONValue($0, of: message) }))
        case .logLevel(let level): self = .logLevel(level)
        case .log(let log): self = .log(log)
        case .notUnderstood: self = .notUnderstood
        case .other: self.init(asSent: command, message)
        case .unreadable: return nil
        }
    }

    private init(asSent command: SimperiumCommand, _ message: [UInt8]) {
        let start = command.payload.lowerBound
        let hasColon = start > 0 && message[start - 1] == 0x3A
        self = .other(
            name: command.name, payload: hasColon ? Array(message[command.payload]) : nil)
    }
}

extension SimperiumMessage.Change {
    /// What `change` of `message` says.
    public init(_ change: SimperiumChange, in message: [UInt8]) {
        self.init(
            key: change.key, operation: change.operation, sv: change.sv, ev: change.ev,
            cv: change.cv, ccids: change.ccids, clientID: change.clientID, error: change.error,
            value: change.value.flatMap { JSONValue($0, of: message) },
            data: change.data.flatMap { JSONValue($0, of: message) })
    }
}

extension SimperiumMessage.Page.Entry {
    fileprivate init(_ entry: IndexPage.Entry, in message: [UInt8]) {
        self.init(
            key: entry.key, version: entry.version,
            data: entry.data.flatMap { JSONValue($0, of: message) })
    }
}

extension JSONValue {
    /// The value that stands in `range`; nil where there is none.
    init?(_ range: Range<Int>, of message: [UInt8]) {
        guard range.upperBound <= message.count,
            let document = try? JSONDocument.scan(message, in: range)
        else { return nil }
        self.init(document.root)
    }
}
