import Notation

/// A message of JSON-RPC 2.0 as a client sends it.
enum AssistantMessage {
    /// Wants an answer.
    case request(id: JSONValue, method: String, params: JSONValue)
    /// Wants none.
    case notification(method: String, params: JSONValue)
    /// An answer to what was never asked.
    case response
    /// What is no message, with the id that its answer has.
    case invalid(id: JSONValue, AssistantError)

    /// The message that `value` is.
    init(_ value: JSONValue) {
        guard case .object = value else {
            self = .invalid(id: .null, AssistantError(.invalidRequest, "a message is an object"))
            return
        }
        let id = value["id"]
        guard let method = value["method"]?.string else {
            if value["result"] != nil || value["error"] != nil {
                self = .response
            } else {
                self = .invalid(
                    id: Self.isID(id) ? id ?? .null : .null,
                    AssistantError(.invalidRequest, "a message has a method"))
            }
            return
        }
        guard value["jsonrpc"] == .string("2.0") else {
            self = .invalid(
                id: Self.isID(id) ? id ?? .null : .null,
                AssistantError(.invalidRequest, "jsonrpc is \"2.0\""))
            return
        }
        let params = value["params"] ?? .object(JSONObject())
        guard let id else {
            self = .notification(method: method, params: params)
            return
        }
        guard Self.isID(id) else {
            self = .invalid(
                id: .null, AssistantError(.invalidRequest, "id is a string or a whole number"))
            return
        }
        self = .request(id: id, method: method, params: params)
    }

    private static func isID(_ id: JSONValue?) -> Bool {
        switch id {
        case .string: true
        case .number(let digits): Int64(digits) != nil
        default: false
        }
    }
}

/// Why a request fails, with its code.
struct AssistantError: Error, Hashable {
    /// The codes of JSON-RPC and of the protocol.
    enum Code: Int {
        case parse = -32700
        case invalidRequest = -32600
        case methodNotFound = -32601
        case invalidParams = -32602
        case `internal` = -32603
        /// Before revision 2026-07-28, which has ``invalidParams`` for that.
        case resourceNotFound = -32002
        case unsupportedVersion = -32022
    }

    let code: Code
    let reason: String
    var data: JSONValue?

    init(_ code: Code, _ reason: String, data: JSONValue? = nil) {
        self.code = code
        self.reason = reason
        self.data = data
    }

    /// The answer to a request of this id.
    func answer(to id: JSONValue) -> JSONValue {
        var error: [JSONObject.Member] = [
            .init("code", .number("\(code.rawValue)")), .init("message", .string(reason)),
        ]
        if let data { error.append(.init("data", data)) }
        return .members(
            ("jsonrpc", .string("2.0")), ("id", id), ("error", .object(JSONObject(error))))
    }
}
