internal import OpenRosa

/// The events of a document as lines.
final class XMLLines: XMLEventHandler {
    private(set) var lines: [String] = []

    func start(_ tag: borrowing XMLTag) {
        var line = "start \(tag.name) \(tag.depth) \(tag.position)"
        for index in 0..<tag.count { line += " \(tag.name(at: index))=\(tag.value(at: index))" }
        _ = tag["case_id"]
        lines.append(line)
    }

    func end(_ tag: borrowing XMLTag) { lines.append("end \(tag.name) \(tag.position)") }

    func text(_ bytes: borrowing Span<UInt8>) {
        let text = bytes.withUnsafeBufferPointer { String(validating: $0, as: UTF8.self) }
        demand(text != nil, "text is UTF-8")
        lines.append("text \(text ?? "")")
    }

    func comment(_ text: String) { lines.append("comment \(text)") }

    func instruction(target: String, data: String) { lines.append("pi \(target) \(data)") }

    /// Reads `bytes` in these pieces.
    static func read(_ bytes: [UInt8], _ pieces: [Range<Int>], _ limits: XMLLimits) -> [String] {
        let handler = XMLLines()
        let stream = XMLStream(handler: handler, limits: limits)
        do {
            for piece in pieces { try stream.feed(bytes.span.extracting(piece)) }
            try stream.finish()
        } catch {
            handler.lines.append("error \(error)")
            demand(
                (0...Int64(bytes.count)).contains(error.position.offset),
                "\(error) is inside the document")
        }
        if let error = stream.namespaceError { handler.lines.append("namespace \(error)") }
        return handler.lines
    }
}
