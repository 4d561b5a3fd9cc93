import Dissection
import Simperium
import Wire

/// A connection, as far as rules about servers follow it.
struct SimperiumServerSocket: Sendable {
    var channels: [Int: SimperiumServerChannel] = [:]
    /// When the server last sent anything.
    var lastSaidAt = Instant.zero
    /// Heartbeats that were not answered, the oldest first.
    var beats: [(count: Int64, command: CommandEvidence)] = []
    /// Whether one was answered.
    var hasBeaten = false
    /// Whether it was reported that they are not.
    var isSilenceReported = false
}

/// A channel, as far as rules about servers follow it.
struct SimperiumServerChannel: Sendable {
    /// A bucket of a user on a server.
    struct BucketName: Hashable, Sendable {
        var server: String
        var app: String?
        var bucket: String
        var user: String
    }

    /// The number of a bucket, in place of its name.
    struct BucketID: Hashable, Sendable {
        var number: Int64
    }

    /// An object at a version.
    struct Entity: Hashable, Sendable {
        var key: SimperiumName
        var version: Int64
    }

    /// A request for a page.
    struct PageRequest: Sendable {
        var request: IndexRequest
        var command: CommandEvidence
    }

    let initiation: CommandEvidence
    let request: InitRequest
    /// Its bucket, once the server accepted the client.
    var bucket: BucketID?
    var openedAt = Instant.zero
    var isAnswered = false
    /// `cv` that were not answered, the oldest first.
    var awaitedChanges: [CommandEvidence] = []
    /// The number of `cv`, less those that were answered with `cv:?`.
    var askedChanges = 0
    var awaitedPages: [PageRequest] = []
    var awaitedEntities: [Entity: (count: Int, command: CommandEvidence)] = [:]
    /// Changes that were not answered, by ccid.
    var changes: [SimperiumName: CommandEvidence] = [:]
    /// Marks since the index was begun, with the page that had them.
    var marks: [String: CommandEvidence] = [:]
    var current: (text: String?, page: CommandEvidence)?
    /// The last change of each object that was sent.
    var versions: [SimperiumName: (ev: Int64, ccids: [String], command: CommandEvidence)] = [:]
    /// The reading of the index that goes on: when it was begun, and the keys of its pages.
    var reading: (since: Instant, keys: Set<SimperiumName>)?
    /// The request that the command at hand answers.
    var answered: CommandEvidence?
    /// The last command of the client.
    var last: CommandEvidence?
    /// Whether the client requested something before the server accepted it.
    var isHasty = false
    /// Whether the client sent a change without ccid.
    var hasNamelessChange = false

    static let most = 5_000

    init(_ request: InitRequest, _ command: CommandEvidence) {
        self.request = request
        initiation = command
        last = command
    }

    /// Whether the client's init entitles it to the newer answer to an unknown cv.
    var isModern: Bool {
        request.api == "1.1" && !(request.library ?? "").isEmpty
            && !(request.version ?? "").allSatisfy { "0.".contains($0) }
    }
}
