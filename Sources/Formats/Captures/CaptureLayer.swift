internal import Capturing
internal import Wire

/// The layer between TCP and the protocol on a captured connection: TLS, or none.
///
/// A value without I/O. Of a TLS connection whose keys are known the trace gets the decrypted
/// bytes; of any other the bytes on the wire, and what the handshake shows.
struct CaptureLayer {
    /// What comes out.
    enum Output {
        /// Bytes of one side.
        case bytes(Peer, atUnixNanoseconds: Int64, [UInt8])
        /// Bytes of one side are missing.
        case missing(
            Peer, atUnixNanoseconds: Int64, untilUnixNanoseconds: Int64, count: Int64,
            GapRow.Reason)
        /// Something that is not bytes, on the leg of one side.
        case event(EventRow.Kind, Peer, atUnixNanoseconds: Int64, detail: String)
        /// Something to be counted.
        case count(WritableKeyPath<CaptureTotals.TLS, Int>)
    }

    /// What came while it was not clear what it is.
    private enum Piece {
        case bytes(Peer, at: Int64, [UInt8])
        case missing(Peer, at: Int64, until: Int64, count: Int64)
    }

    private enum State {
        /// Too few bytes arrived to decide.
        case undecided
        /// No TLS.
        case plain
        /// TLS, and it is not clear yet whether it can be read.
        case asking(TLSStream)
        /// TLS that is read.
        case open(TLSStream)
        /// TLS that is not read.
        case sealed
    }

    private var state = State.undecided
    private var waiting: [Piece] = []
    private var waitingCount = 0
    private var facts: TLSFacts?

    /// The maximum number of bytes that are buffered until it is clear whether TLS can be
    /// decrypted: 1048576; more stay encrypted.
    static let maxWaiting = 1 << 20

    /// Whether bytes pass as they arrive.
    var isPlain: Bool {
        if case .plain = state { true } else { false }
    }

    /// Whether something of `sender` was consumed that was not given out yet.
    func withholds(_ sender: Peer) -> Bool {
        switch state {
        case .plain, .sealed: false
        case .undecided, .asking:
            waiting.contains { piece in
                switch piece {
                case .bytes(sender, _, _), .missing(sender, _, _, _): true
                case .bytes, .missing: false
                }
            }
        case .open(let stream): stream.withholds(sender)
        }
    }

    // MARK: Input

    /// Processes bytes of one side, in order.
    mutating func consume(
        _ bytes: ArraySlice<UInt8>, from sender: Peer, atUnixNanoseconds at: Int64, keys: KeyLog,
        into outputs: inout [Output]
    ) {
        switch state {
        case .plain, .sealed:
            outputs.append(.bytes(sender, atUnixNanoseconds: at, Array(bytes)))
        case .undecided:
            wait(.bytes(sender, at: at, Array(bytes)), bytes.count)
            decide(keys, into: &outputs)
        case .asking(var stream):
            // Taken out, so that it is changed in place.
            state = .sealed
            wait(.bytes(sender, at: at, Array(bytes)), bytes.count)
            var events: [TLSEvent] = []
            stream.consume(bytes, from: sender, atUnixNanoseconds: at, keys: keys, into: &events)
            settle(stream, events, keys, into: &outputs)
        case .open(var stream):
            state = .sealed
            var events: [TLSEvent] = []
            stream.consume(bytes, from: sender, atUnixNanoseconds: at, keys: keys, into: &events)
            for event in events { give(event, into: &outputs) }
            state = .open(stream)
        }
    }

    /// Notes that bytes of one side are missing.
    mutating func lose(
        _ count: Int64, from sender: Peer, atUnixNanoseconds at: Int64,
        untilUnixNanoseconds until: Int64, keys: KeyLog, into outputs: inout [Output]
    ) {
        switch state {
        case .plain, .sealed:
            outputs.append(
                .missing(
                    sender, atUnixNanoseconds: at, untilUnixNanoseconds: until, count: count,
                    .notCaptured))
        case .undecided:
            wait(.missing(sender, at: at, until: until, count: count), 0)
        case .asking(var stream):
            state = .sealed
            wait(.missing(sender, at: at, until: until, count: count), 0)
            var events: [TLSEvent] = []
            stream.lost(count, from: sender, atUnixNanoseconds: until, keys: keys, into: &events)
            settle(stream, events, keys, into: &outputs)
        case .open(var stream):
            state = .sealed
            var events: [TLSEvent] = []
            stream.lost(count, from: sender, atUnixNanoseconds: until, keys: keys, into: &events)
            for event in events { give(event, into: &outputs) }
            state = .open(stream)
        }
    }

    /// Notes that nothing more follows.
    mutating func finish(
        atUnixNanoseconds at: Int64, keys: KeyLog, into outputs: inout [Output]
    ) {
        switch state {
        case .plain, .sealed: break
        case .undecided: release(into: &outputs)
        case .asking(var stream):
            var events: [TLSEvent] = []
            stream.finish(atUnixNanoseconds: at, keys: keys, into: &events)
            settle(stream, events, keys, into: &outputs)
            if case .asking = state { seal("it ends within the handshake", at, into: &outputs) }
        case .open(var stream):
            var events: [TLSEvent] = []
            stream.finish(atUnixNanoseconds: at, keys: keys, into: &events)
            for event in events { give(event, into: &outputs) }
        }
        state = .plain
    }

    // MARK: Deciding

    private mutating func wait(_ piece: Piece, _ count: Int) {
        waiting.append(piece)
        waitingCount += count
    }

    /// Detects by the first bytes of either side whether this is TLS.
    private mutating func decide(_ keys: KeyLog, into outputs: inout [Output]) {
        var verdicts: [Bool?] = []
        for peer in Peer.allCases {
            var start: [UInt8] = []
            for case .bytes(peer, _, let bytes) in waiting where start.count < 8 {
                start += bytes.prefix(8)
            }
            if !start.isEmpty { verdicts.append(TLSStream.looksLikeTLS(start[...])) }
        }
        if verdicts.contains(true) {
            var stream = TLSStream()
            var events: [TLSEvent] = []
            for piece in waiting {
                switch piece {
                case .bytes(let peer, let at, let bytes):
                    stream.consume(
                        bytes[...], from: peer, atUnixNanoseconds: at, keys: keys, into: &events)
                case .missing(let peer, _, let until, let count):
                    stream.lost(
                        count, from: peer, atUnixNanoseconds: until, keys: keys, into: &events)
                }
            }
            outputs.append(.count(\.connections))
            settle(stream, events, keys, into: &outputs)
        } else if verdicts.contains(false) {
            state = .plain
            release(into: &outputs)
        }
    }

    /// Decides whether `stream` can be read by what was found in it.
    private mutating func settle(
        _ stream: TLSStream, _ events: [TLSEvent], _ keys: KeyLog, into outputs: inout [Output]
    ) {
        var rest = events[...]
        while let event = rest.first {
            switch event {
            case .hello(let facts, let at):
                self.facts = facts
                if let random = stream.clientRandom, keys[random] == nil {
                    return seal(TLSSealed.Reason.noKeys.detail, at, into: &outputs)
                }
            case .plain(_, let at, _):
                state = .open(stream)
                waiting = []
                outputs.append(.count(\.decrypted))
                tell("decrypted", at, into: &outputs)
                for event in rest { give(event, into: &outputs) }
                return
            case .sealed(let sealed):
                switch sealed.reason {
                case .noKeys, .unsupported, .noHello, .renegotiated, .damaged:
                    return seal(sealed.reason.detail, sealed.untilUnixNanoseconds, into: &outputs)
                case .earlyDataRefused: give(event, into: &outputs)
                case .notCaptured, .earlyData, .cutShort: break
                }
            case .alert, .note: give(event, into: &outputs)
            }
            rest = rest.dropFirst()
        }
        state = .asking(stream)
        if waitingCount > Self.maxWaiting {
            let at: Int64 =
                switch waiting.last {
                case .bytes(_, let at, _), .missing(_, let at, _, _): at
                case nil: 0
                }
            seal("its handshake does not end", at, into: &outputs)
        }
    }

    private mutating func seal(_ reason: String, _ at: Int64, into outputs: inout [Output]) {
        state = .sealed
        outputs.append(.count(\.encrypted))
        tell("not decrypted: \(reason)", at, into: &outputs)
        release(into: &outputs)
    }

    /// Reports what the handshake shows.
    private func tell(_ outcome: String, _ at: Int64, into outputs: inout [Output]) {
        let shown = facts.map { $0.detail + ", " } ?? ""
        outputs.append(.event(.tls, .client, atUnixNanoseconds: at, detail: shown + outcome))
    }

    /// Gives what waited as it was on the wire.
    private mutating func release(into outputs: inout [Output]) {
        for piece in waiting {
            switch piece {
            case .bytes(let peer, let at, let bytes):
                outputs.append(.bytes(peer, atUnixNanoseconds: at, bytes))
            case .missing(let peer, let at, let until, let count):
                outputs.append(
                    .missing(
                        peer, atUnixNanoseconds: at, untilUnixNanoseconds: until, count: count,
                        .notCaptured))
            }
        }
        waiting = []
        waitingCount = 0
    }

    // MARK: Output

    /// Gives what was found in a stream that is read.
    private func give(_ event: TLSEvent, into outputs: inout [Output]) {
        switch event {
        case .plain(let sender, let at, let bytes):
            guard !bytes.isEmpty else { return }
            outputs.append(.bytes(sender, atUnixNanoseconds: at, bytes))
        case .sealed(let sealed) where sealed.reason == .earlyDataRefused:
            // The server never had it: it is no part of the stream, and missing nowhere.
            outputs.append(
                .event(
                    .warning, sealed.sender, atUnixNanoseconds: sealed.atUnixNanoseconds,
                    detail: sealed.detail))
        case .sealed(let sealed):
            outputs.append(
                .missing(
                    sealed.sender, atUnixNanoseconds: sealed.atUnixNanoseconds,
                    untilUnixNanoseconds: sealed.untilUnixNanoseconds,
                    count: sealed.plaintext ?? sealed.captured + sealed.missing,
                    sealed.missing > 0 ? .notCaptured : .encrypted))
        case .alert(let alert):
            // The usual end of a connection is not reported.
            guard alert.code != 0 else { return }
            outputs.append(
                .event(
                    .warning, alert.sender, atUnixNanoseconds: alert.atUnixNanoseconds,
                    detail: alert.detail))
        case .note(let sender, let at, let detail):
            outputs.append(.event(.warning, sender, atUnixNanoseconds: at, detail: detail))
        case .hello: break
        }
    }
}
