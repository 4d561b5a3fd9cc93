public import Wire

/// Decrypts what the two sides of one TLS connection sent, where a key log has the secrets.
///
/// TLS 1.3 with all its suites but CCM, and data that a client sends before the server answers; TLS
/// 1.2 with AES in GCM and CBC mode and ChaCha20, with certificates and with shared keys; what cannot be decrypted is reported with its reason and size. After bytes that were not captured the
/// next record is found by its header, and in an encrypted stream verified by decrypting it: its
/// number is searched for from the last one that was opened.
///
/// A value without I/O: how the bytes are divided makes no difference. It keeps at most one record
/// for each side, the bytes of one call, and ``heldLimit`` of what waits for a hello.
public struct TLSStream: Sendable {
    /// The maximum number of bytes of a side that wait for the hello of the other: 262144.
    ///
    /// A capture may have the packets of the two sides in the wrong order.
    public static let heldLimit = 1 << 18
    /// The maximum number of bytes that are decrypted to find the sequence number of a record:
    /// 33554432.
    ///
    /// Each record that is opened gives ``searchReturn`` back.
    public static let searchLimit = 1 << 25
    /// What an opened record gives back to the search for others, in bytes: 1048576.
    public static let searchReturn = 1 << 20

    private var client = TLSSide()
    private var server = TLSSide()
    /// The client random, which identifies the session in a key log; nil before the hello.
    package var clientRandom: [UInt8]? { clientHello?.random }
    /// The first message of the client, or the second where the server requested one.
    var clientHello: TLSClientHello?
    /// What the server chose.
    var serverHello: TLSServerHello?
    /// The cipher suite chosen, where it can be decrypted.
    var suite: TLSCipherSuite?
    /// Why nothing more is decrypted.
    package var stop: TLSSealed.Reason?
    /// What the handshake shows so far.
    package var facts = TLSFacts()
    /// Whether the server requested a second hello.
    package var awaitsSecondHello = false
    /// What opens data that the client sent before the server answered.
    var earlyOpener: TLSOpener?
    private var isAnnounced = false
    /// Whether nothing waits.
    package var isFinishing = false
    /// What was found and not given yet.
    private var events: [TLSEvent] = []

    /// A connection of which nothing was read.
    public init() {}

    /// Whether a stream that begins so is taken for TLS; nil where more bytes are needed.
    ///
    /// True also for a stream that was captured from its middle on. At most six bytes are needed.
    public static func looksLikeTLS(_ bytes: ArraySlice<UInt8>) -> Bool? {
        guard let first = bytes.first else { return nil }
        guard TLSRecord.ContentType(rawValue: first) != nil else { return false }
        let start = Array(bytes.prefix(6))
        if start.count > 1, start[1] != 3 { return false }
        guard start.count == 6 else { return nil }
        guard
            TLSRecord.length(start[...], isSearched: true) != nil
                || TLSRecord.length(start[...], isSearched: false) != nil && start[2] == 0
        else { return false }
        guard first == TLSRecord.ContentType.handshake.rawValue else { return true }
        return start[5] == TLSHandshakeReader.clientHello
            || start[5] == TLSHandshakeReader.serverHello
    }

    /// Processes bytes that one side sent, in order.
    ///
    /// - Parameters:
    ///   - bytes: What follows; hostile.
    ///   - sender: Who sent it.
    ///   - atUnixNanoseconds: When it was captured, in nanoseconds since 1970 UTC.
    ///   - keys: Secrets known by now; the next call may have more.
    ///   - found: Gets what is certain with these bytes.
    public mutating func consume(
        _ bytes: ArraySlice<UInt8>, from sender: Peer, atUnixNanoseconds: Int64, keys: KeyLog,
        into found: inout [TLSEvent]
    ) {
        self[sender].reader.consume(bytes, atUnixNanoseconds: atUnixNanoseconds)
        drain(sender, atUnixNanoseconds, keys)
        give(&found)
    }

    /// Notes that bytes of one side were not captured, before those that follow.
    ///
    /// - Parameters:
    ///   - count: How many.
    ///   - sender: Who sent them.
    ///   - atUnixNanoseconds: When that was certain, in nanoseconds since 1970 UTC.
    ///   - keys: Secrets known by now.
    ///   - found: Gets what is certain with this.
    public mutating func lost(
        _ count: Int64, from sender: Peer, atUnixNanoseconds: Int64, keys: KeyLog,
        into found: inout [TLSEvent]
    ) {
        guard count > 0 else { return }
        self[sender].reader.lose(count)
        noteTorn(sender, atUnixNanoseconds)
        drain(sender, atUnixNanoseconds, keys)
        give(&found)
    }

    /// Notes that nothing more follows from either side.
    ///
    /// - Parameters:
    ///   - atUnixNanoseconds: When, in nanoseconds since 1970 UTC.
    ///   - keys: Secrets known by now.
    ///   - found: Receives all that was held back.
    public mutating func finish(
        atUnixNanoseconds: Int64, keys: KeyLog, into found: inout [TLSEvent]
    ) {
        isFinishing = true
        release(atUnixNanoseconds, keys)
        for sender in Peer.allCases {
            if case .torn(let captured, let missing)? = self[sender].reader.finish() {
                let reason: TLSSealed.Reason =
                    missing > 0 ? .notCaptured : self[sender].isNoted ? .damaged : .cutShort
                addUnread(sender, captured, missing, atUnixNanoseconds, reason)
            }
            flushUnread(sender)
        }
        announce(atUnixNanoseconds)
        give(&found)
    }

    /// Whether something of `sender` was consumed that no event has given yet.
    package func withholds(_ sender: Peer) -> Bool {
        let side = self[sender]
        return side.unread != nil || !side.held.isEmpty || !side.reader.isEmpty
    }

    /// The state of a side.
    subscript(peer: Peer) -> TLSSide {
        get { peer == .client ? client : server }
        _modify {
            if peer == .client { yield &client } else { yield &server }
        }
    }

    /// Puts `event` after what was found, and what the handshake shows before it.
    ///
    /// The handshake is over, as far as it can be read, when the server sends anything else.
    package mutating func emit(_ event: TLSEvent) {
        switch event {
        case .plain(.server, let at, _): announce(at)
        case .sealed(let sealed) where sealed.sender == .server:
            announce(sealed.untilUnixNanoseconds)
        case .alert(let alert) where alert.sender == .server: announce(alert.atUnixNanoseconds)
        case .hello, .plain, .sealed, .alert, .note: break
        }
        events.append(event)
    }

    /// Reports once what the handshake shows.
    package mutating func announce(_ at: Int64) {
        guard !isAnnounced, clientHello != nil || serverHello != nil else { return }
        isAnnounced = true
        events.append(.hello(facts, atUnixNanoseconds: at))
    }

    /// Gives what was found.
    private mutating func give(_ found: inout [TLSEvent]) {
        found.append(contentsOf: events)
        events.removeAll(keepingCapacity: true)
    }
}
