import Notation
import Proxying

/// How clients reach a recording that runs, and which of them trust it.
struct RecordingSetup: Sendable {
    /// A place where it listens.
    struct Listener: Sendable {
        /// `HOST:PORT`.
        var address: String
        /// What it is there, in words.
        var purpose: String
    }

    /// Where it listens.
    var listeners: [Listener]
    /// Name of its certificate authority.
    var authority: String
    /// SHA-256 of that one's certificate.
    var fingerprint: String
    /// The clients that used TLS.
    var clients: [ClientTrust]

    /// As JSON.
    var json: String {
        let listeners = listeners.map { listener in
            var object = JSONObjectText()
            object.add("address", listener.address)
            object.add("purpose", listener.purpose)
            return object.text
        }
        let clients = clients.map { client in
            var object = JSONObjectText()
            object.add("address", client.address)
            object.add("accepted", raw: Self.json(client.accepted))
            object.add("refused", raw: Self.json(client.refused))
            return object.text
        }
        var authority = JSONObjectText()
        authority.add("name", self.authority)
        authority.add("sha256", fingerprint)
        var object = JSONObjectText()
        object.add("listeners", raw: "[\(listeners.joined(separator: ","))]")
        object.add("authority", raw: authority.text)
        object.add("clients", raw: "[\(clients.joined(separator: ","))]")
        return object.text
    }

    private static func json(_ handshake: ClientTrust.Handshake?) -> String {
        guard let handshake else { return "null" }
        var object = JSONObjectText()
        object.add("host", handshake.host)
        object.add("unix_seconds", handshake.unixSeconds)
        object.add("failure", handshake.failure)
        return object.text
    }
}
