public import Notation
public import Wire

extension ClientBucket {
    /// An event of a bucket.
    public enum Event: Hashable, Sendable {
        /// The socket is open.
        case opened
        /// The socket was closed, by either side.
        case closed
        /// A message came; those of other channels may be given and are ignored.
        case received(SimperiumMessage)
        /// The app stores an object, a new one or another content of one; no edit is lost.
        case edited(key: String, data: JSONValue)
        /// The app removes an object.
        case removed(key: String)
        /// The app discards its unsent edits of an object.
        case discarded(key: String)
        /// The app removes all objects at once.
        case emptied
        /// There is another access token.
        case token(String)
        /// A timer fired; due when a timer was requested.
        case timePassed
    }

    /// Why an object changed other than by the app.
    public enum Cause: Hashable, Sendable {
        /// Another client changed it.
        case remote
        /// The index or an entity brought it.
        case index
        /// The server took this client's change and made more of it.
        case acknowledged
        /// The server refused this client's change, or the app discarded it.
        case refused

        /// The cause as the log has it.
        var words: String {
            switch self {
            case .remote: "changed by another client"
            case .index: "from the server"
            case .acknowledged: "acknowledged"
            case .refused: "after a refusal"
            }
        }
    }

    /// The first change that came after a `cv` was sent.
    struct Uncertain: Hashable, Sendable {
        var since: String
        var first: String
    }

    /// What is to be done.
    public enum Command: Hashable, Sendable {
        /// To be sent as one message.
        case send(SimperiumMessage)
        /// An object is there or changed: `old` is nil where it was not there.
        case changed(key: String, old: JSONValue?, new: JSONValue, because: Cause)
        /// An object was deleted.
        case removed(key: String, old: JSONValue, because: Cause)
        /// A change was abandoned, and the object is held until the app edits it again.
        ///
        /// The key is the bucket's name for a request to empty it. The code is nil where the
        /// change was not even sent.
        case rejected(key: String, code: Int?, reason: String)
        /// The server does not take the token; with its code, if it has one.
        case needsToken(code: Int?)
        /// The socket is unusable: close it and open another.
        case reconnect(reason: String)
        /// ``Event/timePassed`` is due at this time; nil where no timer is needed.
        case setTimer(Instant?)
        /// To be stored before what follows is done.
        case save(Saving)
        /// A log line.
        case log(String)
    }
}
