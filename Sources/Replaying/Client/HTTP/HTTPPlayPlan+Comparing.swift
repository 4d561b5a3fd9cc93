internal import Wire

extension HTTPPlayPlan {
    /// Where a live answer differs from the recorded one, which is translated to the names of this
    /// run.
    func compare(_ answer: HTTPPlayAnswer, _ identity: ReplayIdentity) -> Differences {
        guard let response = recording.response else {
            var found = Differences(limit: options.maxDifferences)
            if exchange.status != answer.status {
                found.add(
                    Difference(
                        .status,
                        recorded: exchange.status.map { String($0) } ?? "no response",
                        live: answer.status.map { String($0) } ?? "no response"))
            }
            return found
        }
        var leftOut = options.leftOut
        if isBucket {
            for pattern in SimperiumComparison.volatile.compactMap(PathPattern.init) {
                leftOut.mask(json: pattern)
            }
        }
        return AnswerComparison.differences(
            recorded: (exchange.status, translated(response, identity)),
            live: (answer.status, settled(answer.message)), without: leftOut,
            limit: options.maxDifferences)
    }

    /// Whether this requests the objects of a Simperium bucket: `/1/APP/BUCKET/index`, `all`,
    /// `i/…`.
    private var isBucket: Bool {
        let parts = exchange.path.split(separator: "/")
        return parts.count >= 4 && parts[0] == "1" && ["index", "all", "i"].contains(parts[3])
    }

    /// The recorded answer as it would read in this run.
    private func translated(
        _ response: ReplayMessage, _ identity: ReplayIdentity
    ) -> ReplayMessage {
        let origins = HTTPOrigins(exchange.host, recording, options.origin)
        var message = settled(response)
        for place in message.fields.indices {
            let field = message.fields[place]
            if field.name.lowercased() == "x-simperium-version",
                let object = HTTPObjectPath(exchange),
                let live = identity.live(.version, "\(object.name)/\(field.value)")
            {
                message.fields[place].value =
                    live.split(separator: "/").last.map(String.init) ?? live
                continue
            }
            let moved = origins.replace(in: field.value) ?? field.value
            message.fields[place].value = identity.translated(moved)
        }
        if let moved = origins.replace(in: message.body) { message.body = moved }
        if let named = identity.translated(message.body) { message.body = named }
        return message
    }

    /// The answer without what a server generates for each one.
    private func settled(_ message: ReplayMessage) -> ReplayMessage {
        var message = message
        for place in message.fields.indices {
            switch message.fields[place].name.lowercased() {
            case "retry-after": message.fields[place].value = LeftOut.mark
            case "www-authenticate":
                message.fields[place].value = Self.withoutNonce(message.fields[place].value)
            default: continue
            }
        }
        return message
    }

    /// A challenge whose parameters that are new each time are left out.
    private static func withoutNonce(_ challenge: String) -> String {
        let made: Set<String> = ["nonce", "opaque", "cnonce", "stale"]
        return challenge.split(separator: ",").filter { piece in
            let words = HeaderText.trimmed(piece).split(separator: " ")
            let name = words.last { $0.contains("=") }?.prefix { $0 != "=" }.lowercased()
            return !(name.map { made.contains($0) } ?? false) || words.count > 1
        }.map { piece in
            let words = HeaderText.trimmed(piece).split(separator: " ")
            guard words.count > 1, let last = words.last, last.contains("=") else {
                return HeaderText.trimmed(piece)
            }
            let name = last.prefix { $0 != "=" }.lowercased()
            return made.contains(name)
                ? words.dropLast().joined(separator: " ") : HeaderText.trimmed(piece)
        }.joined(separator: ", ")
    }
}
