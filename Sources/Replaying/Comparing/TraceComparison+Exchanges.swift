internal import Notation
internal import Wire

extension TraceComparison {
    /// The keys of exchanges, from the most exact on.
    private struct Keys {
        /// All of it.
        var whole: [Int] = []
        /// All of it without generated identifiers.
        var masked: [Int] = []
        /// The request alone, without them.
        var request: [Int] = []
        /// Method, host and path, without them.
        var target: [Int] = []
    }

    mutating func compareExchanges(_ emit: Emit) {
        let keysA = keys(a, isFirst: true)
        let keysB = keys(b, isFirst: false)
        let alignment = Alignment(
            [keysA.masked, keysA.request, keysA.target],
            [keysB.masked, keysB.request, keysB.target], pairsAfar: [1])
        emit(.section("exchanges"))
        exchangePairs = alignment.steps.compactMap { step in
            guard let one = step.a, let other = step.b else { return nil }
            return (Int32(truncatingIfNeeded: one), Int32(truncatingIfNeeded: other))
        }
        self.emit(alignment, emit) { comparison, step in
            let isSame = step.a.flatMap { one in
                step.b.map { keysA.whole[one] == keysB.whole[$0] }
            }
            return comparison.exchange(step, isSame: isSame ?? false)
        }
    }

    private mutating func exchange(_ step: Alignment.Step, isSame: Bool) -> ComparedItem {
        let one = step.a.map { a.exchanges[$0] }
        let other = step.b.map { b.exchanges[$0] }
        var item = ComparedItem(
            one == nil ? .added : other == nil ? .missing : .same, a: one?.id.rawValue,
            b: other?.id.rawValue, lineA: one.map(Self.line), lineB: other.map(Self.line))
        guard let one, let other else { return item }
        if step.fit == .moved { item.change = .moved }
        if isSame { return item }
        compare(one, other, into: &item)
        if !item.differences.isEmpty { item.change = .changed }
        return item
    }

    private static func line(_ exchange: RecordedExchange) -> String {
        "\(exchange.line)  \(exchange.status.map { String($0) } ?? "no answer")"
    }

    /// Adds where two exchanges differ.
    private mutating func compare(
        _ one: RecordedExchange, _ other: RecordedExchange, into item: inout ComparedItem
    ) {
        let one = content(one, a, isFirst: true)
        let other = content(other, b, isFirst: false)
        let scope = Difference.Scope()
        // Room for those that are none in the end.
        var request = Differences(limit: options.limit + 200)
        for (what, recorded, live) in [
            ("method", one.method, other.method), ("host", one.host, other.host),
        ] where recorded != live {
            let (recorded, live) = OneLine.pair(recorded, live)
            request.add(Difference(.target, what, recorded: recorded, live: live))
        }
        comparePaths(one.path, other.path, into: &request)
        let known = names
        func renamed(_ fields: [FormField]) -> [FormField] {
            fields.map { FormField($0.name, known.other($0.value)) }
        }
        request.compare(renamed(one.query), other.query, .query, in: scope)
        request.compare(renamed(one.fields), other.fields, .header, in: scope)
        request.compare(one.meaning.mapping(known.other), other.meaning, in: scope)
        settle(request, .request, into: &item)
        var answer = Differences(limit: options.limit + 200)
        if one.status != other.status {
            answer.add(
                Difference(
                    .status, recorded: one.status.map { String($0) } ?? "no answer",
                    live: other.status.map { String($0) } ?? "no answer"))
        }
        // What the request bound may be in the answer.
        let bound = names
        answer.compare(
            one.answerFields.map { FormField($0.name, bound.other($0.value)) },
            other.answerFields, .header, in: scope)
        answer.compare(one.answer.mapping(bound.other), other.answer, in: scope)
        settle(answer, .answer, into: &item)
    }

    /// Paths are compared segment by segment, as far as they have as many.
    private mutating func comparePaths(
        _ one: String, _ other: String, into found: inout Differences
    ) {
        guard one != other else { return }
        let left = one.split(separator: "/", omittingEmptySubsequences: false)
        let right = other.split(separator: "/", omittingEmptySubsequences: false)
        let isBound =
            !options.isExact && left.count == right.count
            && zip(left, right).allSatisfy { $0 == $1 || names.bind(String($0), String($1)) }
        guard !isBound else { return }
        let (recorded, live) = OneLine.pair(one, other)
        found.add(Difference(.target, "path", recorded: recorded, live: live))
    }

    /// What is compared of an exchange.
    private struct Content {
        var method: String
        var host: String
        var path: String
        var query: [FormField]
        var fields: [FormField]
        var meaning: Meaning
        var status: Int?
        var answerFields: [FormField]
        var answer: Meaning
        var mayHaveNames: Bool
    }

    private func content(
        _ exchange: RecordedExchange, _ session: ComparedSession, isFirst: Bool
    ) -> Content {
        let request = session.message(exchange.id, .client) ?? ReplayMessage()
        let response = session.message(exchange.id, .server) ?? ReplayMessage()
        var rules = HTTPReplay.Rules(leftOut: leftOut)
        if options.isExact { rules.maskedHeaders = [] }
        let key = RequestKey(query: exchange.query, message: request, rules: rules)
        let host = isFirst ? hosts[exchange.host] ?? exchange.host : exchange.host
        var answerFields = AnswerComparison.fields(response, leftOut)
        if !options.isExact {
            for index in answerFields.indices
            where ["location", "content-location"].contains(answerFields[index].name) {
                answerFields[index].value = Self.local(
                    answerFields[index].value, to: exchange.host)
            }
        }
        return Content(
            method: exchange.method, host: host, path: HTTPReplay.meant(exchange.path),
            query: key.query, fields: key.fields, meaning: key.meaning, status: exchange.status,
            answerFields: answerFields, answer: response.meaning(without: leftOut),
            mayHaveNames: !options.isExact
                && (GeneratedText.mayOccur(in: request.body)
                    || GeneratedText.mayOccur(in: response.body)
                    || GeneratedText.mayOccur(in: Array(exchange.path.utf8))
                    || (exchange.query.map { GeneratedText.mayOccur(in: Array($0.utf8)) } ?? false)
                    || (key.fields + answerFields).contains {
                        GeneratedText.mayOccur(in: Array($0.value.utf8))
                    })
        )
    }

    /// A URL without scheme and authority where it refers to the host that sent it, or to this
    /// machine, as it does where the recorder was in the server's place.
    private static func local(_ url: String, to host: String) -> String {
        for scheme in ["http://", "https://"] where url.hasPrefix(scheme) {
            let rest = url.dropFirst(scheme.count)
            let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
            func name(_ text: some StringProtocol) -> String {
                let end = text.lastIndex(of: ":") ?? text.endIndex
                let isPort = text[end...].dropFirst().allSatisfy(\.isNumber)
                return (isPort ? String(text[..<end]) : String(text)).lowercased()
            }
            guard [name(host), "127.0.0.1", "localhost", "[::1]"].contains(name(authority)) else {
                return url
            }
            return String(rest.dropFirst(authority.count))
        }
        return url
    }

    private func keys(_ session: ComparedSession, isFirst: Bool) -> Keys {
        var keys = Keys()
        for exchange in session.exchanges {
            let content = content(exchange, session, isFirst: isFirst)
            keys.whole.append(Self.hashes(content).whole)
            let hashes: (target: Int, request: Int, whole: Int)
            if content.mayHaveNames {
                var masked = content
                let change = GeneratedText.masked
                func fields(_ fields: [FormField]) -> [FormField] {
                    fields.map { FormField($0.name, change($0.value)) }
                }
                masked.path = GeneratedText.path(content.path, change)
                masked.query = fields(content.query)
                masked.fields = fields(content.fields)
                masked.meaning = content.meaning.mapping(change)
                masked.answerFields = fields(content.answerFields)
                masked.answer = content.answer.mapping(change)
                hashes = Self.hashes(masked)
            } else {
                hashes = Self.hashes(content)
            }
            keys.masked.append(hashes.whole)
            keys.request.append(hashes.request)
            keys.target.append(hashes.target)
        }
        return keys
    }

    private static func hashes(_ content: Content) -> (target: Int, request: Int, whole: Int) {
        var hasher = Hasher()
        hasher.combine(content.method)
        hasher.combine(content.host)
        hasher.combine(content.path)
        let target = hasher.finalize()
        hasher = Hasher()
        hasher.combine(target)
        hasher.combine(content.query)
        hasher.combine(content.fields)
        content.meaning.hash(into: &hasher)
        let request = hasher.finalize()
        hasher = Hasher()
        hasher.combine(request)
        hasher.combine(content.status)
        hasher.combine(content.answerFields)
        content.answer.hash(into: &hasher)
        return (target, request, hasher.finalize())
    }
}
