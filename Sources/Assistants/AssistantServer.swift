import Notation

/// A server of the Model Context Protocol that reads traces: messages in, messages and work out.
///
/// A value without I/O, clock or randomness but its seed. Speaks the revisions that begin with
/// `initialize` (2024-11-05 to 2025-11-25), and the one in which each request stands for itself
/// (2026-07-28). Only lines of the client lead to work: what is recorded is text in answers.
///
///     var server = AssistantServer(AssistantOptions(hasTrace: true, version: "1.0", seed: 1))
///     for line in lines.consume(input) { perform(server.receive(line)) }
public struct AssistantServer: Sendable {
    /// What is to be done.
    public enum Command: Hashable, Sendable {
        /// Write a message, a line without its end.
        case send([UInt8])
        /// Do this, and call ``AssistantServer/finished(_:_:)`` with the number.
        case run(Int, AssistantWork)
        /// The client does not want the outcome of this any more.
        case cancel(Int)
    }

    /// Requests that are worked on at once; further ones are refused.
    public static let maxRunning = 16

    private struct Running {
        let id: JSONValue
        let revision: AssistantRevision
        let form: AssistantAnswers.Form
        let offset: Int
        var batch: Int?
        /// By what the client recognizes messages of progress; nil where it wants none.
        var progressToken: JSONValue?
        /// The share that was said last.
        var share = 0.0
    }

    private struct Batch {
        var missing: Int
        var answers: [JSONValue] = []
    }

    private let answers: AssistantAnswers
    private var revision: AssistantRevision?
    private var running: [Int: Running] = [:]
    private var batches: [Int: Batch] = [:]
    private var numbers = 0
    private var random: SplitMix64

    /// A server before its first message.
    public init(_ options: AssistantOptions) {
        answers = AssistantAnswers(options)
        random = SplitMix64(seed: options.seed)
    }

    /// Takes the next line of the client.
    public mutating func receive(_ line: AssistantLines.Line) -> [Command] {
        guard case .message(let bytes) = line else {
            let error = AssistantError(
                .invalidRequest, "a message has at most \(AssistantLines.maxBytes) bytes")
            return [.send(error.answer(to: .null).bytes())]
        }
        let value: JSONValue
        do throws(JSONError) {
            let limits = JSONLimits(depth: 64, values: 100_000)
            value = JSONValue(try JSONDocument.scan(bytes, limits: limits).root)
        } catch {
            let error = AssistantError(.parse, "at byte \(error.offset): \(error)")
            return [.send(error.answer(to: .null).bytes())]
        }
        if case .array(let elements) = value { return receive(batch: elements) }
        return receive(AssistantMessage(value), batch: nil)
    }

    /// Takes what became of work.
    public mutating func finished(_ number: Int, _ outcome: AssistantOutcome) -> [Command] {
        guard let done = running.removeValue(forKey: number) else { return [] }
        let mark = done.form.isRecorded ? Hexadecimal.text(random.next(), digits: 16) : nil
        let answers = answers
        return reply(to: done.id, batch: done.batch) { () throws(AssistantError) in
            try answers.result(
                of: done.form, outcome, offset: done.offset, mark: mark, done.revision)
        }
    }

    /// Takes how far work is that takes long.
    ///
    /// - Parameters:
    ///   - number: The number of the work.
    ///   - share: How much of it is done, in 0...1.
    ///   - words: What is being done.
    /// - Returns: Messages of progress for the client, a hundred at most; none where it did not ask for them.
    public mutating func progressed(_ number: Int, _ share: Double, _ words: String) -> [Command] {
        guard let token = running[number]?.progressToken, let last = running[number]?.share,
            share >= last + 0.01, share <= 1
        else { return [] }
        running[number]?.share = share
        let percent = Int(share * 100)
        return [
            .send(
                JSONValue.members(
                    ("jsonrpc", .string("2.0")), ("method", .string("notifications/progress")),
                    (
                        "params",
                        .members(
                            ("progressToken", token), ("progress", .number("\(percent)")),
                            ("total", .number("100")), ("message", .string(words)))
                    )
                ).bytes())
        ]
    }

    // MARK: Messages

    private mutating func receive(batch elements: [JSONValue]) -> [Command] {
        guard revision?.hasBatches == true, !elements.isEmpty else {
            let error = AssistantError(.invalidRequest, "one message at a time, not an array")
            return [.send(error.answer(to: .null).bytes())]
        }
        let messages = elements.map(AssistantMessage.init)
        let count = messages.count { message in
            switch message {
            case .request, .invalid: true
            case .notification, .response: false
            }
        }
        numbers += 1
        let number = numbers
        if count > 0 { batches[number] = Batch(missing: count) }
        return messages.flatMap { receive($0, batch: number) }
    }

    private mutating func receive(_ message: AssistantMessage, batch: Int?) -> [Command] {
        switch message {
        case .response: return []
        case .invalid(let id, let error): return send(error.answer(to: id), batch: batch)
        case .notification(let method, let params):
            guard method == "notifications/cancelled", let id = params["requestId"],
                let number = running.first(where: { $0.value.id == id })?.key,
                let cancelled = running.removeValue(forKey: number)
            else { return [] }
            return [.cancel(number)] + leaveOut(batch: cancelled.batch)
        case .request(let id, let method, let params):
            do throws(AssistantError) {
                return try take(id, method, params, batch: batch)
            } catch {
                return send(error.answer(to: id), batch: batch)
            }
        }
    }

    private mutating func take(
        _ id: JSONValue, _ method: String, _ params: JSONValue, batch: Int?
    ) throws(AssistantError) -> [Command] {
        let named = try AssistantRevision.named(in: params)
        if named == nil, method == "initialize" {
            let (agreed, result) = try answers.initialize(params)
            revision = agreed
            return reply(to: id, batch: batch) { () throws(AssistantError) in result }
        }
        if named == nil, method == "ping" {
            return reply(to: id, batch: batch) { () throws(AssistantError) in .members() }
        }
        guard let revision = named ?? revision else {
            throw AssistantError(
                .invalidRequest,
                "begin with initialize, or name the revision in _meta of each request")
        }
        switch try answers.step(for: method, params, revision) {
        case .answer(let result):
            return reply(to: id, batch: batch) { () throws(AssistantError) in result }
        case .work(let work, let form):
            guard !running.values.contains(where: { $0.id == id }) else {
                throw AssistantError(.invalidRequest, "this id is that of a request in progress")
            }
            guard running.count < Self.maxRunning else {
                throw AssistantError(
                    .internal, "\(Self.maxRunning) requests are in progress; wait for an answer")
            }
            numbers += 1
            running[numbers] = Running(
                id: id, revision: revision, form: form, offset: work.offset, batch: batch,
                progressToken: Self.progressToken(in: params))
            return [.run(numbers, work)]
        }
    }

    private static func progressToken(in params: JSONValue) -> JSONValue? {
        switch params["_meta"]?["progressToken"] {
        case .string(let text): .string(text)
        case .number(let digits) where Int64(digits) != nil: .number(digits)
        default: nil
        }
    }

    // MARK: Answers

    private mutating func reply(
        to id: JSONValue, batch: Int?, _ result: () throws(AssistantError) -> JSONValue
    ) -> [Command] {
        do throws(AssistantError) {
            let result = try result()
            return send(
                .members(("jsonrpc", .string("2.0")), ("id", id), ("result", result)), batch: batch)
        } catch {
            return send(error.answer(to: id), batch: batch)
        }
    }

    private mutating func send(_ answer: JSONValue, batch: Int?) -> [Command] {
        guard let batch, var open = batches[batch] else { return [.send(answer.bytes())] }
        open.missing -= 1
        open.answers.append(answer)
        batches[batch] = open
        return endBatch(batch)
    }

    private mutating func leaveOut(batch: Int?) -> [Command] {
        guard let batch, batches[batch] != nil else { return [] }
        batches[batch]?.missing -= 1
        return endBatch(batch)
    }

    /// Sends the answers of a batch where they are all there.
    private mutating func endBatch(_ number: Int) -> [Command] {
        guard let batch = batches[number], batch.missing == 0 else { return [] }
        batches[number] = nil
        return batch.answers.isEmpty ? [] : [.send(JSONValue.array(batch.answers).bytes())]
    }
}

/// What a server is started with.
public struct AssistantOptions: Hashable, Sendable {
    /// Whether there is a trace that is meant where none is named.
    public var hasTrace: Bool
    /// What it may do beside reading.
    public var permissions: Set<AssistantPermission>
    /// The version of this program.
    public var version: String
    /// The seed of the marks around recorded content; nobody who is recorded may know it.
    public var seed: UInt64

    /// A server that only reads, unless more is permitted.
    public init(
        hasTrace: Bool, permissions: Set<AssistantPermission> = [], version: String, seed: UInt64
    ) {
        self.hasTrace = hasTrace
        self.permissions = permissions
        self.version = version
        self.seed = seed
    }
}
