internal import Wire

/// What happens to a record.
extension TLSStream {
    /// Whether TLS 1.3 is used, which hides the content types of its records.
    var isVersion13: Bool { serverHello?.version == 0x0304 }

    /// Reads a record of a side that did not encrypt yet.
    mutating func readPlain(_ record: TLSRecord, _ sender: Peer, _ keys: KeyLog) {
        let at = record.atUnixNanoseconds
        switch record.type {
        case .handshake:
            flushUnread(sender)
            for message in self[sender].handshake.consume(record.fragment) {
                readPlain(message, sender, at)
            }
        case .alert:
            flushUnread(sender)
            readAlert(record.fragment, sender, at, wasEncrypted: false)
        case .changeCipherSpec:
            flushUnread(sender)
            // Before the server chose, it means nothing: TLS 1.3 sends it to please middleboxes.
            if serverHello != nil || self[.server].isHelloLost && !facts.wasRetried {
                change(sender, to: .application)
            }
        case .applicationData, .heartbeat:
            if sender == .client, serverHello == nil, facts.offersEarlyData {
                seal(record, sender, .earlyData)
            } else {
                loseHello(sender)
                // What turned the encryption on was not captured.
                change(sender, to: .application)
                readProtected(record, sender, keys)
            }
        }
    }

    /// Reads a record of a side that encrypts.
    mutating func readProtected(_ record: TLSRecord, _ sender: Peer, _ keys: KeyLog) {
        guard record.type != .changeCipherSpec else { return }
        if record.type == .alert, record.fragment.count == 2 {
            return readAlert(
                record.fragment, sender, record.atUnixNanoseconds, wasEncrypted: false)
        }
        if let stop { return seal(record, sender, stop) }
        guard clientHello != nil, serverHello != nil else {
            return seal(record, sender, .noHello)
        }
        let cost = Self.cost(of: record)
        let maySearch = self[sender].budget >= cost
        // What looks like a record may be none, and there may be one at every byte.
        if record.isFound { self[sender].budget -= cost }
        let expected = expected(sender, keys)
        if let expected, let opened = open(record, sender, expected) {
            return accept(opened, record, sender)
        }
        if let expected, isEarly(sender, expected) { return readEarly(record, keys) }
        let candidates = [expected, following(sender, keys)].compactMap(\.self)
        if let opened = search(record, sender, candidates) {
            return accept(opened, record, sender)
        }
        if expected == nil {
            seal(record, sender, .noKeys)
            self[sender].passed += 1
        } else if record.isFound, maySearch {
            // What looked like a record was none.
            noteTorn(sender, record.atUnixNanoseconds)
            self[sender].reader.reject()
        } else {
            addUnread(sender, Int64(record.count), 0, record.atUnixNanoseconds, .damaged)
            self[sender].passed += 1
            if !maySearch { flushUnread(sender) }
        }
    }

    /// Whether what `sender` sends and cannot be opened is data sent before the server answered.
    private func isEarly(_ sender: Peer, _ expected: Candidate) -> Bool {
        sender == .client && facts.offersEarlyData && expected.phase == .handshake
            && expected.opener.sequence == 0 && self[sender].skipped == 0
    }

    /// Reads what the client sent before the server answered.
    private mutating func readEarly(_ record: TLSRecord, _ keys: KeyLog) {
        guard facts.takesEarlyData != false else {
            return seal(record, .client, .earlyDataRefused)
        }
        if earlyOpener == nil, facts.takesEarlyData == true, let suite,
            let secret = clientHello.flatMap({ keys[$0.random]?.early })
        {
            earlyOpener = TLSOpener(secret: secret, suite: suite)
        }
        guard let opener = earlyOpener else { return seal(record, .client, .earlyData) }
        guard let content = opener.open(record, as: opener.sequence) else {
            return seal(record, .client, .damaged)
        }
        earlyOpener?.sequence = opener.sequence &+ 1
        // The end of it is a message of the handshake.
        guard TLSRecord.ContentType(rawValue: content.type) == .applicationData,
            !content.bytes.isEmpty
        else { return }
        flushUnread(.client)
        emit(
            .plain(
                sender: .client, atUnixNanoseconds: record.atUnixNanoseconds, content.bytes))
    }

    /// Continues after a record that was opened.
    private mutating func accept(_ opened: Opened, _ record: TLSRecord, _ sender: Peer) {
        let at = record.atUnixNanoseconds
        flushUnread(sender, before: opened)
        if opened.candidate.isOther {
            self[sender].handshake.reset()
        }
        self[sender].phase = opened.candidate.phase
        self[sender].opener = opened.candidate.opener
        self[sender].opener?.sequence = opened.number &+ 1
        self[sender].passed = 0
        self[sender].skipped = 0
        self[sender].budget = min(
            Self.searchLimit, max(0, self[sender].budget) + Self.searchReturn)
        switch TLSRecord.ContentType(rawValue: opened.content.type) {
        case .applicationData:
            guard !opened.content.bytes.isEmpty else { return }
            emit(.plain(sender: sender, atUnixNanoseconds: at, opened.content.bytes))
        case .handshake:
            for message in self[sender].handshake.consume(opened.content.bytes[...]) {
                readEncrypted(message, sender, at)
            }
        case .alert: readAlert(opened.content.bytes[...], sender, at, wasEncrypted: true)
        case .changeCipherSpec, .heartbeat, nil: break
        }
    }

    /// Reports an alert.
    private mutating func readAlert(
        _ content: ArraySlice<UInt8>, _ sender: Peer, _ at: Int64, wasEncrypted: Bool
    ) {
        var alert = TLSAlert(
            sender: sender, atUnixNanoseconds: at, isFatal: nil, code: nil,
            wasEncrypted: wasEncrypted || content.count != 2)
        if content.count == 2, let level = content.first, let code = content.last {
            alert.isFatal = level == 2
            alert.code = code
        }
        emit(.alert(alert))
    }

    /// Reports that a whole record stays encrypted.
    ///
    /// Up to TLS 1.2 a record has its content type, and the handshake is not counted as lost.
    private mutating func seal(_ record: TLSRecord, _ sender: Peer, _ reason: TLSSealed.Reason) {
        let at = record.atUnixNanoseconds
        flushUnread(sender)
        if reason == .noKeys { self[sender].skipped += Int64(record.count) }
        switch record.type {
        case .alert where !isVersion13:
            return readAlert([], sender, at, wasEncrypted: true)
        case .handshake where !isVersion13: return
        case .alert, .handshake, .applicationData, .changeCipherSpec, .heartbeat: break
        }
        emit(
            .sealed(
                TLSSealed(
                    sender: sender, atUnixNanoseconds: at, untilUnixNanoseconds: at,
                    captured: Int64(record.count), missing: 0, plaintext: nil, reason: reason)))
    }

    /// Adds to what could not be read since the last record that was.
    mutating func addUnread(
        _ sender: Peer, _ captured: Int64, _ missing: Int64, _ at: Int64,
        _ reason: TLSSealed.Reason
    ) {
        let start = self[sender].tornUnixNanoseconds ?? at
        self[sender].tornUnixNanoseconds = nil
        var unread =
            self[sender].unread
            ?? TLSSealed(
                sender: sender, atUnixNanoseconds: start, untilUnixNanoseconds: at, captured: 0,
                missing: 0, plaintext: nil, reason: reason)
        self[sender].skipped += captured + missing
        unread.captured += captured
        unread.missing += missing
        unread.untilUnixNanoseconds = max(at, unread.untilUnixNanoseconds)
        if missing > 0 { unread.reason = reason }
        self[sender].unread = unread
    }

    /// Reports what could not be decrypted since the last record that was.
    mutating func flushUnread(_ sender: Peer, before opened: Opened? = nil) {
        guard var unread = self[sender].unread else { return }
        self[sender].unread = nil
        // The handshake of TLS 1.2 ends with record 0; of TLS 1.3 with other keys.
        if let opened, !opened.candidate.isOther, opened.candidate.phase == .application,
            let overhead = opened.candidate.opener.overhead
        {
            let first = opened.candidate.opener.sequence
            let records = Int64(clamping: opened.number &- first)
            let plaintext = unread.captured + unread.missing - records * overhead
            if records > 0, plaintext >= 0, isVersion13 || first > 0 {
                unread.plaintext = plaintext
            }
        }
        emit(.sealed(unread))
    }
}
