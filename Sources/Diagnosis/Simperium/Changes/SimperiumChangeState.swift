import Notation
import Simperium
import Wire

/// The state that a ``SimperiumChangeCheck`` keeps of a connection.
struct SimperiumChangeConnection: Sendable {
    var channels: [Int: SimperiumChangeChannel] = [:]
    /// Commands of the server that were received so far.
    var heard = 0
    /// The number of them that the client has shown that it received.
    var proven = 0
    /// The last answer to a heartbeat, and its ordinal among the commands.
    var beat: (number: Int64, seq: Int)?
    /// Number of the client's last heartbeat.
    var sentBeat: Int64?
    var endedAt: Instant?
    /// When the client last sent a command.
    var lastSentAt = Instant.zero
    /// Whether bytes are held back on purpose, so that time proves nothing.
    var isSlow = false
    /// Whether the client was seen to react at once.
    var isQuick = false
    /// Changes of the client within the second that began at `second`.
    private var second: Int64 = -1
    private var inSecond = 0

    /// Counts a change of the client.
    /// - Returns: The number within this second.
    mutating func countChange(at instant: Instant) -> Int {
        let now = instant.nanoseconds / 1_000_000_000
        if second != now { (second, inSecond) = (now, 0) }
        inSecond += 1
        return inSecond
    }
}

/// The state of a channel, from one `init` to the next.
struct SimperiumChangeChannel: Sendable {
    /// The decoded `init`, shared by all copies.
    private final class Opening: Sendable {
        let app: String
        let bucketName: String
        let clientID: String

        init(app: String, bucketName: String, clientID: String) {
            self.app = app
            self.bucketName = bucketName
            self.clientID = clientID
        }
    }

    let number: Int
    /// Number of the `init`, over all connections.
    let session: Int32
    private let opening: Opening
    /// Whether the `init` requests something at once.
    let asksInInit: Bool
    let openedAt: Instant
    /// Number of the bucket of the user; nil before the server accepted the client.
    var bucket: Int32?
    /// Number of the client in it.
    var client: Int32 = 0
    /// Whether the client has received what it requested first.
    var isSynced: Bool { syncedAt != nil }
    /// Since when.
    var syncedAt: Instant?
    /// Changes that were sent before and are to be sent again, at most 64.
    var owed: [SimperiumChangePlace] = []
    /// New changes since.
    var goneOn = 0
    /// Requests for changes or for the index.
    var asks = 0
    /// Answers to them: pages, and lists of changes without an error.
    var answers = 0
    /// The first page of the index that is being read, and of the last one that was read to its end,
    /// by the order in which they were received.
    var firstPage: Int?
    var readFrom = 0
    /// Changes that were refused and have not been followed by what they need, at most 64.
    var refused: [(place: SimperiumChangePlace, refusal: SimperiumChangeRefusal)] = []
    /// Those of them that were answered with 409 and of which that was reported.
    var reported: Set<ExactText> = []
    /// The last change of another client on this channel.
    var foreign: (evidence: Int, at: Instant)?
    /// Changes that were refused with 401 in a row.
    var unpermitted = 0
    /// Changes resent at once after a server error.
    var hasty = 0

    init(
        number: Int, session: Int32, app: String, bucketName: String, clientID: String,
        asksInInit: Bool, openedAt: Instant
    ) {
        self.number = number
        self.session = session
        opening = Opening(app: app, bucketName: bucketName, clientID: clientID)
        self.asksInInit = asksInInit
        self.openedAt = openedAt
    }

    var app: String { opening.app }
    var bucketName: String { opening.bucketName }
    var clientID: String { opening.clientID }
}

/// The state of a client in a bucket.
struct SimperiumChangeClient: Sendable {
    let id: String
    let bucket: Int32
    let bucketName: String
    /// Identifiers of unanswered changes.
    var unanswered: Set<SimperiumChangePlace> = []
    /// Number of its last channel.
    var session: Int32 = 0
    /// Whether it was seen to answer this refusal with the whole object.
    var sendsWhole: Set<Int> = []
    /// Keys for which it was not, by code.
    var fails: [Int: Set<ExactText>] = [:]
    /// Changes that it sent.
    var count = 0
    /// Whether it was seen to insert the same text twice of its own accord.
    var repeatsItself = false
    /// Times in a row that it did so at the moment of the acknowledgement.
    var repeatedInARow = 0
    /// Times in a row that it took back what another client had changed.
    var takenBack = 0
    /// Times in a row that it took back its own change when that was acknowledged.
    var takenBackOwn = 0

    /// A change was answered.
    mutating func answer(_ change: SimperiumChangePlace) {
        if !unanswered.isEmpty { unanswered.remove(change) }
    }
}

/// The answer of the server, or of Tapedeck in its place, to a change.
struct SimperiumChangeAnswer: Sendable {
    /// The error; 0 where it was made.
    let code: Int
    let at: Instant
    let seq: Int
    let connection: ConnectionID
    let session: Int32
    let evidence: Int
}

/// A change that a client sent.
struct SimperiumChangeSent: Sendable {
    /// The parts of the change that are needed later: many are kept, and most of its texts are
    /// known.
    struct Gist: Sendable {
        let ccid: String
        let operation: ChangeOperation?
        let sv: Int64?
        let value: Range<Int>?
        let data: Range<Int>?

        init(_ change: SimperiumChange<Range<Int>>) {
            ccid = change.ccids.first ?? ""
            operation = change.operation
            sv = change.sv
            value = change.value
            data = change.data
        }
    }

    let key: ExactText
    var evidence: Int
    var change: Gist
    var session: Int32
    var connection: ConnectionID
    var sentAt: Instant
    /// Requests of the channel by then.
    var asks: Int
    /// The answer that the client received; nil for none.
    var answer: SimperiumChangeAnswer?
    /// How often it was refused.
    var refusals = 0
    /// Whether the server acknowledged it.
    var isMade = false
    /// Whether the server answered and the answer did not arrive.
    var isAnswerLost = false
    /// The resulting object, where its base is known.
    var result: JSONValue?
    /// Bytes of the result, about.
    var size = 0
    /// What the object gains by it.
    var edits: [SimperiumEdit] = []
    /// The change that this one repeats under another identifier.
    var repeats: ExactText?

    /// Whether it needs no answer any more.
    var isDone: Bool { answer != nil || isMade }
    /// Whether it is to be sent again on the next connection.
    var isOwed: Bool {
        !isMade && !isAnswerLost && answer.map { (500...599).contains($0.code) } ?? true
    }
    /// Whether nothing shows that the server has it.
    var isOpen: Bool { !isDone && !isAnswerLost }
}

/// A change that was refused, as the last of its key.
struct SimperiumChangeRefusal: Sendable {
    let code: Int
    let ccid: ExactText
    let answer: SimperiumChangeAnswer
    /// The number of requests for, and receipts of, the object by then.
    let channelAsks: Int
    let channelAnswers: Int
    let keyAsks: Int
    let news: Int
    /// The number of changes that the client had sent by then.
    var count: Int
    /// How often the change was refused by then.
    let times: Int
}

/// A change of another client that was received.
struct SimperiumChangeRemote: Sendable {
    /// The parts of the change that are needed later: states of objects are copied often.
    struct Gist: Sendable {
        let clientID: String?
        let operation: ChangeOperation?
        let sv: Int64?
        let ev: Int64?
        let value: Range<Int>?

        init(_ change: SimperiumChange<Range<Int>>) {
            clientID = change.clientID
            operation = change.operation
            sv = change.sv
            ev = change.ev
            value = change.value
        }
    }

    let evidence: Int
    let change: Gist
    let at: Instant
}

/// The state of an object for one client.
struct SimperiumChangeKey: Sendable {
    enum Presence: Sendable { case unknown, present, removed }

    /// The channel of the following values.
    var session: Int32 = 0
    /// The last version that the client received.
    var shown: Int64 = 0
    /// The last version that it was sent on the channels before this one; 0 for none.
    var shownBefore: Int64 = 0
    var shownSeq = 0
    /// Whether a removal came that is older than what the client had: it may drop what it requests
    /// or requested then.
    var isDoubted = false
    /// When an index last listed it, by the order of what is received.
    var listedSeq = 0
    var shownAt = Instant.zero
    var shownBy = 0
    var isShownByAnswer = false
    /// Whether the client can be at that version.
    var isSettled = false
    /// Whether the client cannot have known the version before it received it on this channel.
    var isProof = false
    var presence = Presence.unknown
    /// Whether Tapedeck sent the client something else than the server sent.
    var isAltered = false
    /// An old version that was delivered after a newer one.
    var late: (version: Int64, evidence: Int)?
    /// Requests for the entity.
    var asks = 0
    /// The number of receipts of it.
    var news = 0

    /// The last change of the client.
    var last: ExactText?
    var refusal: SimperiumChangeRefusal?
    /// Changes with the whole object that the server refused, in a row.
    var wholeRefusals: [Int] = []
    /// Times that it was refused with 413 in a row.
    var tooLarge = 0
    /// The last change that was made.
    var made: ExactText?
    var ledger = SimperiumObjectLedger()
    var remote: SimperiumChangeRemote?
    /// Changes in a row that are for a version which is past.
    var behind: [Int] = []
}

/// Commands that may be quoted, by number; bounded in bytes.
struct SimperiumChangeEvidence: Sendable {
    private var kept: [(command: CommandEvidence, bytes: Int)] = []
    private var first = 1
    private var head = 0
    private var bytes = 0
    private static let maxBytes = 32 << 20
    private static let most = 100_000

    /// Keeps a command.
    mutating func keep(_ command: CommandEvidence) -> Int {
        if let last = kept.last, last.command === command { return first + kept.count - head - 1 }
        let size = Self.size(command)
        kept.append((command, size))
        bytes += size
        while kept.count - head > 1, bytes > Self.maxBytes || kept.count - head > Self.most {
            bytes -= kept[head].bytes
            head += 1
            first += 1
        }
        if head > kept.count / 2 + 64 {
            kept.removeFirst(head)
            head = 0
        }
        return first + kept.count - head - 1
    }

    subscript(number: Int) -> CommandEvidence? {
        let index = number - first + head
        return index >= head && index < kept.count ? kept[index].command : nil
    }

    /// Bytes of a command, about: its text, and what was read of that.
    private static func size(_ command: CommandEvidence) -> Int {
        (command.version?.text.count ?? 0) + 1024
    }
}

/// A check that is due later.
enum SimperiumChangeDeadline: Sendable {
    /// After a 409: whether the client asked for the missed changes.
    case catchUp(SimperiumChangePlace, SimperiumChangeRefusal)
    /// After another refusal: whether the change was sent as it has to be.
    case resend(SimperiumChangePlace, SimperiumChangeRefusal)
    /// After a reconnection: whether a change that is to be sent again was.
    case owed(SimperiumChangePlace, session: Int32, ConnectionID, Instant)
}
