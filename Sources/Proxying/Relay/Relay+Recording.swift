import Wire

/// Rows for the trace.
extension Relay {
    /// Writes a row, and before the first one what the connection is.
    mutating func record(_ row: Record, _ commands: inout [RelayCommand]) {
        if !isAnnounced {
            isAnnounced = true
            commands.append(.record(.connection(connection)))
            commands.append(.record(.leg(clientLeg)))
        }
        commands.append(.record(row))
    }

    /// Writes an event about a leg.
    mutating func record(
        _ kind: EventRow.Kind, leg: LegID?, at: Instant, detail: String,
        _ commands: inout [RelayCommand]
    ) {
        record(
            .event(EventRow(kind, connection: connection.id, leg: leg, at: at, detail: detail)),
            &commands)
    }

    /// Writes what was read, as the peer sent it, and what went on of it.
    ///
    /// Of what is made of it the peer may have sent nothing; that is Tapedeck's then.
    ///
    /// - Parameters:
    ///   - read: What was read.
    ///   - rewrites: What was done to the forwarded bytes, relative to these.
    ///   - leg: Where it came from.
    ///   - sender: Who sent it, or in whose name it was made.
    ///   - commands: Gains what to write.
    mutating func recordChunk(
        _ read: HeldBytes, _ rewrites: [Patch] = [], leg: LegID, sender: Peer,
        _ commands: inout [RelayCommand]
    ) {
        let sent = read.sent
        guard !sent.isEmpty else {
            let made = Chunk(
                connection: connection.id, leg: leg, sender: sender, origin: .tapedeck,
                at: read.at, bytes: Array(read.bytes), patches: rewrites)
            return record(.chunk(made), &commands)
        }
        let patches = read.source?.composed(with: rewrites, of: read.bytes) ?? rewrites
        let deliveries =
            read.at == read.readAt
            ? [] : [Delivery(offset: 0, count: sent.count, at: read.at)]
        recordPeer(read, patches, deliveries, leg, sender, &commands)
    }

    /// Writes what the receiver is not to get, as the peer sent it.
    ///
    /// - Parameters:
    ///   - read: What was read.
    ///   - rewrites: What would have been done to it, relative to what was sent.
    ///   - leg: Where it came from.
    ///   - sender: Who sent it.
    ///   - commands: Gains what to write.
    mutating func recordKept(
        _ read: HeldBytes, _ rewrites: [Patch] = [], leg: LegID, sender: Peer,
        _ commands: inout [RelayCommand]
    ) {
        let count = read.sent.count
        guard count > 0 else { return }
        recordPeer(
            read, rewrites, [Delivery(offset: 0, count: count, at: nil)], leg, sender, &commands)
    }

    /// Writes what nobody got because nobody was there, as the peer sent it.
    mutating func recordUndelivered(
        _ read: HeldBytes, leg: LegID, sender: Peer, _ commands: inout [RelayCommand]
    ) {
        let count = read.sent.count
        guard count > 0 else { return }
        let patch = Patch(offset: 0, removed: count, inserted: [], reason: .undelivered)
        recordPeer(read, [patch], [], leg, sender, &commands)
    }

    private mutating func recordPeer(
        _ read: HeldBytes, _ patches: [Patch], _ deliveries: [Delivery], _ leg: LegID,
        _ sender: Peer, _ commands: inout [RelayCommand]
    ) {
        record(
            .chunk(
                Chunk(
                    connection: connection.id, leg: leg, sender: sender, at: read.readAt,
                    bytes: Array(read.sent), patches: patches, deliveries: deliveries)),
            &commands)
    }
}
