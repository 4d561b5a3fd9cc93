import Framing

/// What a framer says about a sample, as lines that do not depend on how the bytes are cut.
enum HTTPTranscript {
    /// Gives the sample to a framer in portions of the given lengths.
    ///
    /// `known` are heads that others read before.
    static func make(
        _ sample: HTTPSample, cuts: [Int], known: HTTPKnownHeads? = nil
    ) -> [String] {
        var framer = HTTPFramer(role: sample.role, limits: sample.limits)
        for kind in sample.expecting { framer.expect(kind) }
        var lines = Lines()
        var start = 0
        for length in cuts {
            let end = start + length
            while true {
                var events: [HTTPEvent] = []
                let portion = sample.bytes.span.extracting(start..<end)
                let taken = framer.consume(portion, into: &events, known: known)
                for event in events { lines.add(event, portion, base: start) }
                start += taken
                guard framer.isPaused else { break }
                lines.add("paused \(start)")
                framer.resume(sample.resumption)
                if start == end { break }
            }
            guard start == end, framer.streamOffset == Int64(start) else {
                return ["stopped at \(start) of \(end)"]
            }
        }
        var events: [HTTPEvent] = []
        framer.endOfStream(into: &events)
        for event in events { lines.add(event, [UInt8]().span, base: start) }
        return lines.finish()
    }

    /// All at once.
    static func make(_ sample: HTTPSample) -> [String] { make(sample, cuts: [sample.bytes.count]) }

    private struct Lines {
        var done: [String] = []
        var kind = ""
        var run: [UInt8] = []

        mutating func add(_ event: HTTPEvent, _ portion: borrowing Span<UInt8>, base: Int) {
            switch event {
            case .content(let range): extend("content", portion, range)
            case .opaque(let range): extend("opaque", portion, range)
            case .head(let head, let end):
                add("head \(summary(head)) \(head.start)..<\(base + end)")
            case .trailers(let bytes, let end): add("trailers \(quoted(bytes)) \(base + end)")
            case .end(let at): add("end \(base + at)")
            case .note(let note, let offset): add("note \(note.rawValue) \(offset)")
            case .failure(let error): add("failure \(error)")
            }
        }

        mutating func add(_ line: String) {
            flush()
            done.append(line)
        }

        mutating func extend(_ kind: String, _ portion: borrowing Span<UInt8>, _ range: Range<Int>)
        {
            if kind != self.kind { flush() }
            self.kind = kind
            for index in range { run.append(portion[index]) }
        }

        mutating func flush() {
            if !run.isEmpty { done.append("\(kind) \(quoted(run))") }
            run = []
            kind = ""
        }

        mutating func finish() -> [String] {
            flush()
            return done
        }
    }

    private static func quoted(_ bytes: [UInt8]) -> String {
        bytes.map { Unicode.Scalar($0).escaped(asASCII: true) }.joined()
    }

    private static func summary(_ head: HTTPHead) -> String {
        let parts =
            head.role == .request
            ? [head.method, head.target, head.version]
            : [head.version, head.status.map(String.init) ?? "", head.reason]
        let fields = head.fields.map { "\(head.text($0.name))=\(head.text($0.value))" }
        let text = "\(parts.joined(separator: "|")) [\(fields.joined(separator: ", "))]"
        return text.unicodeScalars.map { $0.escaped(asASCII: true) }.joined()
    }
}
