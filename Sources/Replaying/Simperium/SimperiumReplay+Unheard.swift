import Notation
internal import Simperium
internal import Wire

extension SimperiumReplay {
    /// Has the model make the changes that the recorded server accepted from clients that did not
    /// receive the answer.
    ///
    /// No client received these changes; a later refusal as a duplicate, or a version that is sent
    /// later, is all that the recording has of them.
    ///
    /// - Parameters:
    ///   - implied: What the recording has of the bucket by now.
    ///   - home: The bucket.
    /// - Returns: The changes as they are sent, in order.
    mutating func makeUnheard(
        _ implied: ImpliedBucket, _ home: BucketHome
    ) -> [SimperiumChange<JSONValue>] {
        var unheard: [(place: Int32, stream: Int, change: SimperiumChange<JSONValue>)] = []
        for (stream, channel) in implied.channels
        where sockets[streams[stream].socket].live == nil {
            for case .change(let change) in channel.items {
                guard let ccid = change.ccids.first, let place = authors[ccid],
                    isDone[Int(place)], !isRefused(ccid, in: implied),
                    !implied.log.entries.contains(where: { entry in
                        entry.isPast && entry.change.ccids.contains(ccid)
                    })
                else { continue }
                unheard.append((place, stream, change))
            }
        }
        guard !unheard.isEmpty else { return [] }
        let lost = LostCommands.find(in: commands, fetch: fetch)
        unheard.removeAll { lost.contains(commands.id(at: Int($0.place))) }
        return unheard.sorted { $0.place < $1.place }.compactMap { _, stream, change in
            let opening = takeover?.openings[stream].last {
                $0.index < streams[stream].nextClient
            }
            let socket = sockets[streams[stream].socket].id
            let clientID = opening?.request.clientID ?? ""
            let author = ChangeAuthor(clientID: bindings.client(clientID, on: socket) ?? clientID)
            let asked = live(change, home)
            let result = takeover?.server.make(asked, by: author, in: home.id)
            guard case .accepted(let reported)? = result?.outcome else { return nil }
            return reported
        }
    }

    /// Whether the recorded server refused a change for another reason than that it was made already.
    private func isRefused(_ ccid: String, in implied: ImpliedBucket) -> Bool {
        guard let place = implied.refusals[ccid],
            case .changes(let changes)? = message(place)?.body
        else { return false }
        return changes.contains { change in
            change.ccids.contains(ccid) && change.error != nil && change.error != 409
        }
    }
}
