/// The first message of a client, as far as it matters to who only listens.
///
/// Source: RFC 8446, 4.1.2; the server name RFC 6066, 3.
struct TLSClientHello: Hashable, Sendable {
    /// What the client chose at random, by which its secrets are found; 32 bytes.
    var random: [UInt8]
    /// The session that the client requests to resume, or in TLS 1.3 any bytes.
    var sessionID: [UInt8]
    /// The server name that the client requests; nil for none.
    var serverName: String?
    /// Application protocols offered, the client's favourite first.
    var protocols: [String]
    /// Whether data is sent before the server answers.
    var offersEarlyData: Bool
    /// Whether there is a second hello inside, which only the server can read.
    var hasEncryptedHello: Bool

    /// Reads the body of a message, nil where it is cut short.
    init?(_ body: [UInt8]) {
        var cursor = TLSCursor(body[...])
        guard cursor.number(2) != nil, let random = cursor.bytes(32),
            let sessionID = cursor.vector(1), cursor.vector(2) != nil, cursor.vector(1) != nil,
            let extensions = cursor.extensions()
        else { return nil }
        self.random = Array(random)
        self.sessionID = Array(sessionID)
        serverName = extensions[TLSExtension.serverName].flatMap(Self.serverName)
        protocols = TLSCursor.protocols(extensions[TLSExtension.protocols])
        offersEarlyData = extensions[TLSExtension.earlyData] != nil
        hasEncryptedHello = extensions[TLSExtension.encryptedHello] != nil
    }

    /// The first host name of the extension.
    private static func serverName(_ body: ArraySlice<UInt8>) -> String? {
        var outer = TLSCursor(body)
        guard var list = outer.vector(2).map(TLSCursor.init) else { return nil }
        while let type = list.number(1), let name = list.vector(2) {
            if type == 0 { return TLSCursor.text(name) }
        }
        return nil
    }
}
