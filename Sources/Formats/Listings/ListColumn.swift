internal import Dissection
internal import Trace
internal import Wire

/// A column of a listing, named as the field of the filter language is.
public enum ListColumn: String, Hashable, Sendable, CaseIterable {
    // Of everything.
    case kind, id, session, connection, at, time, size, duration, fault, fate, problem
    // Of everything in a fleet.
    case recorder
    // Of exchanges.
    case api, method, scheme, host, port, path, query, url, version, status, reason, outcome
    case device, user, local
    case requestSize = "request.size"
    case responseSize = "response.size"
    case retryAfter = "retry-after"
    // Of commands and messages.
    case sender, command, channel, bucket, app, key, cv, error, opcode
    case closeCode = "close-code"

    /// The name in tables for programs: with the unit, where there is one.
    public var exportedName: String {
        switch self {
        case .at, .duration: rawValue + "_ns"
        default: rawValue
        }
    }

    /// The value of a row; nothing where it does not have any.
    public func value(of row: ListedRow) -> ListCell {
        switch self {
        case .session: .number(row.line.session.rawValue)
        case .at: .nanoseconds(row.at.nanoseconds)
        case .time: row.start.map { .clock($0 &+ row.at.nanoseconds) } ?? .none
        case .size: .bytes(row.bytes)
        case .duration: row.nanoseconds.map { .nanoseconds($0) } ?? .none
        case .recorder: Self.text(row.recorder)
        case .fault:
            Self.text(row.rules.faults.isEmpty ? nil : row.rules.faults.joined(separator: " "))
        default:
            switch row.line {
            case .exchange(_, let row): value(of: row)
            case .command(_, let row): value(of: row)
            case .message(_, let row): value(of: row)
            }
        }
    }

    private func value(of row: ExchangeRow) -> ListCell {
        switch self {
        case .kind: .text("exchange")
        case .id: .number(row.id.rawValue)
        case .connection: .number(row.connection.rawValue)
        case .fate: .text(row.fate.rawValue)
        case .problem: Self.text(row.problem)
        case .api: .text(row.api)
        case .method: .text(row.method)
        case .scheme: .text(row.scheme)
        case .host: .text(row.host)
        case .port: .number(Int64(row.port))
        case .path: .text(row.path)
        case .query: Self.text(row.query)
        case .url: .text(row.url)
        case .version: .text(row.version)
        case .status: Self.number(row.status)
        case .reason: Self.text(row.reason)
        case .outcome: .text(row.outcome.rawValue)
        case .device: Self.text(row.device)
        case .user: Self.text(row.user)
        case .local: .number(row.isLocal ? 1 : 0)
        case .requestSize: .bytes(row.requestSize)
        case .responseSize: .bytes(row.responseSize)
        case .retryAfter: Self.text(row.retryAfter)
        default: .none
        }
    }

    private func value(of row: CommandRow) -> ListCell {
        switch self {
        case .kind: .text("command")
        case .id: .number(row.id.rawValue)
        case .connection: .number(row.connection.rawValue)
        case .fate: .text(row.fate.rawValue)
        case .problem: Self.text(row.problem)
        case .sender: .text(row.sender.description)
        case .command: .text(row.name)
        case .channel: Self.number(row.channel)
        case .bucket: Self.text(row.bucket)
        case .app: Self.text(row.app)
        case .key: Self.text(row.key)
        case .cv: Self.text(row.cv)
        case .error: Self.number(row.error)
        default: .none
        }
    }

    private func value(of row: MessageRow) -> ListCell {
        switch self {
        case .kind: .text("message")
        case .id: .number(row.id.rawValue)
        case .connection: .number(row.connection.rawValue)
        case .fate: .text(row.fate.rawValue)
        case .problem: Self.text(row.problem)
        case .sender: .text(row.sender.description)
        case .opcode: .number(Int64(row.opcode))
        case .closeCode: Self.number(row.closeCode)
        default: .none
        }
    }

    private static func text(_ text: String?) -> ListCell { text.map { .text($0) } ?? .none }

    private static func number(_ number: Int?) -> ListCell {
        number.map { .number(Int64($0)) } ?? .none
    }
}
