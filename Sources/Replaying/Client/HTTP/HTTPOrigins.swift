/// URLs of the recorded server, which are replaced by those of the live one.
struct HTTPOrigins {
    private let recorded: [[UInt8]]
    private let live: [UInt8]

    /// - Parameters:
    ///   - host: The recorded host.
    ///   - recording: The exchange, whose `Host` field has the port.
    ///   - origin: The live URL of a recorded host.
    init(_ host: String, _ recording: HTTPRecording, _ origin: (String) -> String?) {
        live = Array((origin(host) ?? "").utf8)
        var names = [host]
        if let field = recording.request.value("host")?.lowercased(), field != host {
            names.insert(field, at: 0)
        }
        recorded = live.isEmpty ? [] : names.map { Array("://\($0)".utf8) }
    }

    /// `text` with the origins of the recorded server replaced; nil where it has none.
    func replace(in text: [UInt8]) -> [UInt8]? {
        guard !recorded.isEmpty else { return nil }
        var output: [UInt8]?
        var done = 0
        var place = 0
        while let colon = text[place...].firstIndex(of: 0x3A) {
            place = colon + 1
            guard text[colon...].prefix(3).elementsEqual([0x3A, 0x2F, 0x2F]),
                let scheme = ["https", "http"].first(where: {
                    colon - done >= $0.utf8.count
                        && text[(colon - $0.utf8.count)..<colon].elementsEqual($0.utf8)
                }),
                let name = recorded.first(where: { Self.stands($0, in: text, at: colon) })
            else { continue }
            output = (output ?? []) + text[done..<(colon - scheme.utf8.count)] + live
            done = colon + name.count
            place = done
        }
        output?.append(contentsOf: text[done...])
        return output
    }

    func replace(in text: String) -> String? {
        replace(in: Array(text.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Whether the name is there, not followed by more of an authority.
    private static func stands(_ name: [UInt8], in text: [UInt8], at place: Int) -> Bool {
        guard text[place...].prefix(name.count).elementsEqual(name) else { return false }
        let after = place + name.count < text.count ? text[place + name.count] : 0x20
        let belongs =
            0x30...0x39 ~= after || 0x61...0x7A ~= after || 0x41...0x5A ~= after
            || [0x2D, 0x2E, 0x3A, 0x40].contains(after)
        return !belongs
    }
}
