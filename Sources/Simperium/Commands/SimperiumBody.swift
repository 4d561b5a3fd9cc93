/// The contents of a command.
///
/// `Value` is how its JSON is held: ``SimperiumCommand``, which was read from a message, has ranges
/// of that; ``SimperiumMessage``, which can be made and sent, has values.
/// Source: Simperium/Specification.md#messages.
public enum SimperiumBody<Value: Hashable & Sendable>: Hashable, Sendable {
    /// `init`: a client opens a bucket.
    case initialize(InitRequest)
    /// `auth`: the server authorises it, or does not.
    case auth(AuthReply)
    /// `i` of a client: a page of the index is requested.
    case indexRequest(IndexRequest)
    /// `i` of a server: a page of the index.
    case indexPage(IndexPage<Value>)
    /// `i:?`: the mark is unknown to the server.
    case unknownMark
    /// `e` of a client: an entity is requested.
    case entityRequest(key: String, version: Int64)
    /// `e` of a server: an entity, or the lack of it.
    case entity(EntityReply<Value>)
    /// `cv` of a client: changes since this change version are requested; may be empty.
    case changesSince(cv: String)
    /// `cv:?`, or `c:?` as before API version 1.1: the change version is unknown to the server.
    case unknownChangeVersion(isLegacy: Bool)
    /// `c`: changes, in their order; may be empty.
    case changes([SimperiumChange<Value>])
    /// `h`: a heartbeat and its number, at least 0.
    case heartbeat(Int64)
    /// `o` of a server: options of the channel.
    case options(ChannelOptions)
    /// `index` of a server: the client's state is requested.
    case indexStateRequest
    /// `index` of a client: its state.
    case indexState(IndexState<Value>)
    /// `log` of a server: logging begins or ends.
    case logLevel(Int)
    /// `log` of a client.
    case log(LogMessage)
    /// `?`: the server did not recognise a command.
    case notUnderstood
    /// A command that no specification has, as sent; the payload is nil without a colon.
    case other(name: String, payload: [UInt8]?)
}

extension SimperiumBody {
    /// The same with its JSON held in another way.
    ///
    /// - Parameter transform: Makes a value of the other kind; nil for what has none, which is then
    ///   missing where it may be.
    /// - Returns: Nil where an entity's content has no value of the other kind.
    package func map<Other>(_ transform: (Value) -> Other?) -> SimperiumBody<Other>? {
        switch self {
        case .initialize(let request): return .initialize(request)
        case .auth(let reply): return .auth(reply)
        case .indexRequest(let request): return .indexRequest(request)
        case .indexPage(let page):
            return .indexPage(
                IndexPage(
                    current: page.current, entries: page.entries.map { $0.map(transform) },
                    mark: page.mark, count: page.count))
        case .unknownMark: return .unknownMark
        case .entityRequest(let key, let version):
            return .entityRequest(key: key, version: version)
        case .entity(let reply): return reply.map(transform).map { .entity($0) }
        case .changesSince(let cv): return .changesSince(cv: cv)
        case .unknownChangeVersion(let isLegacy): return .unknownChangeVersion(isLegacy: isLegacy)
        case .changes(let changes): return .changes(changes.map { $0.map(transform) })
        case .heartbeat(let count): return .heartbeat(count)
        case .options(let options): return .options(options)
        case .indexStateRequest: return .indexStateRequest
        case .indexState(let state):
            return .indexState(
                IndexState(
                    current: state.current, entries: state.entries.map { $0.map(transform) },
                    pending: state.pending, extra: state.extra.flatMap(transform)))
        case .logLevel(let level): return .logLevel(level)
        case .log(let log): return .log(log)
        case .notUnderstood: return .notUnderstood
        case .other(let name, let payload): return .other(name: name, payload: payload)
        }
    }
}

extension SimperiumChange {
    /// The same with its JSON held in another way; what `transform` has no value for is missing.
    package func map<Other>(_ transform: (Value) -> Other?) -> SimperiumChange<Other> {
        SimperiumChange<Other>(
            key: key, operation: operation, sv: sv, ev: ev, cv: cv, ccids: ccids,
            clientID: clientID, error: error, value: value.flatMap(transform),
            data: data.flatMap(transform))
    }
}

extension IndexPage.Entry {
    fileprivate func map<Other>(_ transform: (Value) -> Other?) -> IndexPage<Other>.Entry {
        IndexPage<Other>.Entry(key: key, version: version, data: data.flatMap(transform))
    }
}

extension EntityReply {
    fileprivate func map<Other>(_ transform: (Value) -> Other?) -> EntityReply<Other>? {
        let mapped: EntityReply<Other>.Content? =
            switch content {
            case .missing: .missing
            case .data(let data): transform(data).map { .data($0) }
            case .other(let other): transform(other).map { .other($0) }
            }
        return mapped.map { EntityReply<Other>(key: key, version: version, content: $0) }
    }
}
