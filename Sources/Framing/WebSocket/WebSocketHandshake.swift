import Notation

/// The HTTP exchange that opens a WebSocket.
///
/// Source: RFC 6455, section 4.
public enum WebSocketHandshake {
    /// Answers the key of a request.
    ///
    /// - Parameter key: The value of `Sec-WebSocket-Key` without spaces around it.
    /// - Returns: What `Sec-WebSocket-Accept` must be.
    public static func acceptKey(for key: String) -> String {
        Base64.encode(sha1(Array(key.utf8) + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8))
    }

    /// Returns whether all bytes after a response are WebSocket frames, in both directions.
    ///
    /// - Parameters:
    ///   - status: The status of the response.
    ///   - response: The values of all fields of a name in the response; names are compared
    ///     without case.
    /// - Returns: Whether it does.
    public static func opens(status: Int, response: (String) -> [String]) -> Bool {
        status == 101 && hasToken("websocket", in: response("Upgrade"))
    }

    /// Finds violations in a request and the response that accepted it.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - request: The values of all fields of a name in the request, in order and without spaces
    ///     around them; names are compared without case.
    ///   - response: The same for the response, which has status 101.
    /// - Returns: The rules that were broken, in order of ``WebSocketHandshakeProblem/allCases``.
    public static func problems(
        method: String, request: (String) -> [String], response: (String) -> [String]
    ) -> [WebSocketHandshakeProblem] {
        var problems: [WebSocketHandshakeProblem] = []
        func check(_ problem: WebSocketHandshakeProblem, _ isWell: Bool) {
            if !isWell { problems.append(problem) }
        }
        let keys = request("Sec-WebSocket-Key")
        let accepts = response("Sec-WebSocket-Accept")
        let offeredExtensions = WebSocketExtension.parse(request("Sec-WebSocket-Extensions"))
        let accepted = WebSocketExtension.parse(response("Sec-WebSocket-Extensions"))
        let offeredProtocols = Set(tokens(request("Sec-WebSocket-Protocol")))
        let chosen = response("Sec-WebSocket-Protocol")
        check(.method, method == "GET")
        check(.requestUpgrade, hasToken("websocket", in: request("Upgrade")))
        check(.requestConnection, hasToken("upgrade", in: request("Connection")))
        check(.version, request("Sec-WebSocket-Version") == ["13"])
        check(.key, keys.count == 1 && isKey(keys[0]))
        check(.responseUpgrade, hasToken("websocket", in: response("Upgrade")))
        check(.responseConnection, hasToken("upgrade", in: response("Connection")))
        check(.accept, keys.count != 1 || accepts == [acceptKey(for: keys[0])])
        check(
            .extensionNotOffered,
            accepted.allSatisfy { one in offeredExtensions.contains { $0.name == one.name } })
        check(
            .protocolNotOffered,
            chosen.isEmpty || chosen.count == 1 && offeredProtocols.contains(chosen[0]))
        return problems
    }

    /// Whether `key` is the base64 of 16 bytes.
    static func isKey(_ key: String) -> Bool {
        key.utf8.count == 24 && Base64.decode(key.utf8)?.count == 16
    }

    /// The elements of a list of tokens, as written.
    private static func tokens(_ values: [String]) -> [String] {
        values.flatMap { value in
            value.utf8.split(separator: UInt8(ascii: ",")).map { piece in
                let isSpace = { (byte: UInt8) in byte == 0x20 || byte == 0x09 }
                let rest = piece.drop(while: isSpace)
                let end = rest.lastIndex { !isSpace($0) }.map { rest.index(after: $0) }
                return String(decoding: rest[..<(end ?? rest.startIndex)], as: UTF8.self)
            }
        }
    }

    private static func hasToken(_ token: String, in values: [String]) -> Bool {
        tokens(values).contains { $0.lowercased() == token }
    }
}
