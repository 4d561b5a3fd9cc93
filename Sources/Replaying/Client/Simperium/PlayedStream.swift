internal import Notation
internal import Wire

/// A recorded channel that is played, or what belongs to no channel.
struct PlayedStream {
    /// Something that the recorded server sent: a change, or another command.
    struct Expected {
        enum Kind: Hashable {
            /// A change of a `c`.
            case change
            /// The answer to `cv`: a `c` after its changes, or that the change version is unknown.
            case catchUp(isUnknown: Bool)
            /// Any other command, by name.
            case command(String)
        }

        var place: Int32
        var kind: Kind
        /// The change as written in the command.
        var element = JSONValue.null
        var key: String?
        var ev: Int64?
        var isRemoval = false
        /// Whether it was part of the answer to `cv`.
        var isOfCatchUp = false
        var error: Int?
        /// Identifiers of a change.
        var ccids: [String] = []
        /// Those of them that were not received.
        var left: [String] = []
        /// Whether it arrived, or is no longer waited for.
        var isDone = false
        /// Whether it may come or not.
        var isOptional = false
    }

    /// What is left of a recorded server command.
    struct Rest {
        var count: Int
        var isSame = true
        /// Whether it is certainly not waited for any more.
        var isReported = false
    }

    /// Place of the recorded socket.
    let socket: Int
    /// The channel; nil for the connection.
    let channel: Int?
    /// Places of what the client sent.
    var client: [Int32] = []
    /// Places of what the server sent.
    var server: [Int32] = []
    /// Places of the client commands that request changes.
    var catchUps: [Int32] = []
    /// How often an `init` requests a page of the index.
    var openingPages = 0
    /// Buckets by the place of the `init` that opens them.
    var openings: [(place: Int32, bucket: Int)] = []

    var nextClient = 0
    /// How many of ``server`` are in ``expected``, or were.
    var loaded = 0
    var expected: [Expected] = []
    /// The first of ``expected`` that is waited for.
    var head = 0
    /// The first of ``expected`` that is not done.
    var floor = 0
    var rests: [Int32: Rest] = [:]
    /// Changes that came, by recorded identifier.
    var received: Set<String> = []
    /// Changes that may come or not.
    var optional: Set<String> = []
    /// Objects whose next change recovers from what did not happen.
    var skips: [String: Set<String>] = [:]
    /// Live marks by the recorded ones.
    var marks: [String: String] = [:]
    /// For each page that is awaited whether this play requested it itself.
    var pages: [Bool] = []
    /// Recorded marks for which the live index has no more pages.
    var endedMarks: Set<String> = []
    /// Answers to `cv` that are awaited.
    var awaitedCatchUps = 0
    /// Pages of an index that the recorded server did not have.
    var extraPages = 0
    /// The index that is read because the live server does not know a change version.
    var reindex: Reindex?
    /// Since when the next command waits for what was not received.
    var blockedSince: Instant?
    /// What ``SimperiumPlay/progress`` was then.
    var blockedProgress = 0
    /// Whether the turn of the next command was requested, and whether it was granted.
    var hasAsked = false
    var hasTurn = false
    /// When the next command is due.
    var due: Instant?
    /// Whether the live server closed the bucket.
    var isDead = false
    /// Whether a change of a client that is not played was missing.
    var lacksOthers = false
    /// Place of the newest command that was sent or came.
    var lastPlace: Int32 = -1

    /// An index that is read again.
    struct Reindex {
        var pages = 0
        var marks: Set<String> = []
        /// Objects whose recorded versions do not come as changes.
        var objects: [(key: String, version: Int64)] = []
    }

    init(socket: Int, channel: Int?) {
        self.socket = socket
        self.channel = channel
    }

    /// The bucket that is open at a place of the recording.
    func bucket(at place: Int32) -> Int? {
        openings.last { $0.place <= place }?.bucket ?? openings.first?.bucket
    }

    /// Whether everything has been sent and has come.
    var isThrough: Bool {
        isDead
            || nextClient == client.count && loaded == server.count && head == expected.count
                && reindex == nil
    }

    /// Whether the recording has nothing more that may come.
    var isExhausted: Bool { loaded == server.count && head == expected.count }
}
