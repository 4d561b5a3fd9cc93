import Notation

/// How clients reach a recording that runs, and whom they have to trust.
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

    /// As JSON.
    var json: String {
        let listeners = listeners.map { listener in
            var object = JSONObjectText()
            object.add("address", listener.address)
            object.add("purpose", listener.purpose)
            return object.text
        }
        var authority = JSONObjectText()
        authority.add("name", self.authority)
        authority.add("sha256", fingerprint)
        var object = JSONObjectText()
        object.add("listeners", raw: "[\(listeners.joined(separator: ","))]")
        object.add("authority", raw: authority.text)
        return object.text
    }
}
