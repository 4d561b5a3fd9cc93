internal import Wire

/// In which order records are handled: none before the hello that it needs.
extension TLSStream {
    /// Handles the records that are complete.
    mutating func drain(_ sender: Peer, _ at: Int64, _ keys: KeyLog) {
        while let item = self[sender].reader.next() {
            if isBlocked(sender, keys) {
                hold(item, sender)
            } else {
                handle(item, sender, at, keys)
            }
            release(at, keys)
        }
    }

    /// Whether what `sender` sends has to wait for the hello of the other side.
    private func isBlocked(_ sender: Peer, _ keys: KeyLog) -> Bool {
        guard !isFinishing, !self[sender.other].isHelloLost else { return false }
        switch sender {
        case .client:
            return clientHello != nil && serverHello == nil && !awaitsSecondHello
                || awaitsEarlyAnswer(keys)
        case .server: return clientHello == nil || awaitsSecondHello
        }
    }

    /// Whether the client's early data waits for what the server makes of it.
    ///
    /// The server says so in its first encrypted message. Refused data is sent again later.
    private func awaitsEarlyAnswer(_ keys: KeyLog) -> Bool {
        guard isVersion13, stop == nil, facts.offersEarlyData, facts.takesEarlyData == nil,
            self[.client].phase == .handshake, self[.client].opener == nil,
            self[.server].phase == .handshake, self[.server].unread == nil,
            let secrets = clientHello.flatMap({ keys[$0.random] })
        else { return false }
        return secrets.early != nil && secrets.handshake[.server] != nil
    }

    /// Keeps what has to wait; what is too much continues without the hello.
    private mutating func hold(_ item: TLSRecordReader.Item, _ sender: Peer) {
        var item = item
        if case .record(var record) = item {
            // A copy, so that the buffer of the reader is not kept whole.
            record.fragment = Array(record.fragment)[...]
            record.isFound = false
            self[sender].heldCount += record.fragment.count
            item = .record(record)
        }
        self[sender].heldCount += TLSRecord.headerCount
        self[sender].held.append(item)
        if self[sender].heldCount > Self.heldLimit { self[sender.other].isHelloLost = true }
    }

    /// Handles what waited and no longer has to.
    mutating func release(_ at: Int64, _ keys: KeyLog) {
        for sender in [Peer.client, .server, .client] where !isBlocked(sender, keys) {
            guard !self[sender].held.isEmpty else { continue }
            let items = self[sender].held
            self[sender].held = []
            self[sender].heldCount = 0
            for (index, item) in items.enumerated() {
                if isBlocked(sender, keys) {
                    self[sender].held.append(contentsOf: items[index...])
                    break
                }
                handle(item, sender, at, keys)
            }
        }
    }

    /// Handles what came out of the stream of `sender`.
    private mutating func handle(
        _ item: TLSRecordReader.Item, _ sender: Peer, _ at: Int64, _ keys: KeyLog
    ) {
        switch item {
        case .record(let record):
            if self[sender].phase == .plain {
                readPlain(record, sender, keys)
            } else {
                readProtected(record, sender, keys)
            }
        case .torn(let captured, let missing):
            addUnread(sender, captured, missing, at, missing > 0 ? .notCaptured : .damaged)
            self[sender].handshake.reset()
            loseHello(sender)
        case .garbled:
            noteTorn(sender, at)
            if !self[sender].isNoted {
                self[sender].isNoted = true
                emit(
                    .note(
                        sender: sender, atUnixNanoseconds: at,
                        "the \(sender) sent what is not a TLS record"))
            }
            loseHello(sender)
        }
    }

    /// Keeps when bytes began that belong to no record.
    mutating func noteTorn(_ sender: Peer, _ at: Int64) {
        self[sender].tornUnixNanoseconds = self[sender].tornUnixNanoseconds ?? at
    }
}
