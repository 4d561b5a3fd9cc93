internal import Wire

/// How a record is opened, and its number found.
extension TLSStream {
    /// Keys that a record may be encrypted with.
    struct Candidate {
        /// What opens it; its sequence is the number after that of the last record opened.
        var opener: TLSOpener
        /// What the side is in if it does.
        var phase: TLSSide.Phase
        /// Whether they are others than those expected.
        var isOther = false
    }

    /// A record that was opened.
    struct Opened {
        /// What was in it.
        var content: TLSOpener.Content
        /// With which keys.
        var candidate: Candidate
        /// Its number.
        var number: UInt64
    }

    /// How many more numbers are tried than may be missing: 8.
    private static let slack: UInt64 = 8
    /// Bytes of the shortest record that is encrypted: header, type and tag of TLS 1.3.
    private static let shortestRecord: Int64 = 22
    /// The cost of a failed decryption besides the bytes of a record, in bytes: 256.
    private static let trialCost = 256

    /// The cost of a failed decryption of `record`.
    static func cost(of record: TLSRecord) -> Int { record.count + trialCost }

    /// Opens `record` with the keys and the number expected.
    func open(_ record: TLSRecord, _ sender: Peer, _ candidate: Candidate) -> Opened? {
        let number = candidate.opener.sequence &+ UInt64(self[sender].passed)
        return candidate.opener.open(record, as: number).map {
            Opened(content: $0, candidate: candidate, number: number)
        }
    }

    /// Opens `record` with any of the keys, as any record that may have come by now.
    mutating func search(
        _ record: TLSRecord, _ sender: Peer, _ candidates: [Candidate]
    ) -> Opened? {
        let reach = Self.slack + UInt64(self[sender].skipped / Self.shortestRecord)
        let cost = Self.cost(of: record)
        for candidate in candidates {
            for step in 0..<reach {
                guard self[sender].budget >= cost else { return nil }
                self[sender].budget -= cost
                let number = candidate.opener.sequence &+ step
                guard let content = candidate.opener.open(record, as: number) else { continue }
                return Opened(content: content, candidate: candidate, number: number)
            }
        }
        return nil
    }

    /// The keys of the present phase, nil where the key log does not have them yet.
    mutating func expected(_ sender: Peer, _ keys: KeyLog) -> Candidate? {
        let phase = self[sender].phase
        if let opener = self[sender].opener { return Candidate(opener: opener, phase: phase) }
        guard let opener = opener(of: phase, sender, keys) else { return nil }
        self[sender].opener = opener
        return Candidate(opener: opener, phase: phase)
    }

    /// The keys that follow those of the present phase in TLS 1.3.
    ///
    /// What changed the keys may not have been captured, or not be readable.
    func following(_ sender: Peer, _ keys: KeyLog) -> Candidate? {
        guard isVersion13 else { return nil }
        let isHandshake = self[sender].phase == .handshake
        let opener =
            isHandshake ? opener(of: .application, sender, keys) : self[sender].opener?.updated
        return opener.map { Candidate(opener: $0, phase: .application, isOther: true) }
    }

    /// Derives the first keys of a phase.
    private func opener(of phase: TLSSide.Phase, _ sender: Peer, _ keys: KeyLog) -> TLSOpener? {
        guard let client = clientHello, let server = serverHello, let suite,
            let secrets = keys[client.random]
        else { return nil }
        guard isVersion13 else {
            return secrets.master.map {
                TLSOpener(
                    master: $0, clientRandom: client.random, server: server, sender: sender,
                    suite: suite)
            }
        }
        let secret = phase == .handshake ? secrets.handshake[sender] : secrets.application[sender]
        return secret.flatMap { TLSOpener(secret: $0, suite: suite) }
    }
}
