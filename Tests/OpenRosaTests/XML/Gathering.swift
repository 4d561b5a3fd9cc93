import Notation

@testable import OpenRosa

/// An event as a value.
enum Event: Hashable {
    case start(XMLName, [String], XMLPosition)
    case end(XMLName, XMLPosition)
    case text(String)
    case comment(String)
    case instruction(String, String)
}

/// Keeps all events.
final class Gathering: XMLEventHandler {
    var events: [Event] = []

    func start(_ tag: borrowing XMLTag) {
        var attributes: [String] = []
        for index in 0..<tag.count {
            attributes.append("\(tag.name(at: index))=\(tag.value(at: index))")
        }
        events.append(.start(tag.name, attributes, tag.position))
    }

    func end(_ tag: borrowing XMLTag) { events.append(.end(tag.name, tag.position)) }

    func text(_ bytes: borrowing Span<UInt8>) {
        var copy: [UInt8] = []
        for index in 0..<bytes.count { copy.append(bytes[index]) }
        events.append(.text(String(decoding: copy, as: UTF8.self)))
    }

    func comment(_ text: String) { events.append(.comment(text)) }

    func instruction(target: String, data: String) { events.append(.instruction(target, data)) }
}

/// What a document gave.
struct Outcome: Hashable {
    var events: [Event]
    var error: XMLError?
}

/// Reads `pieces` as one document.
func read(_ pieces: [[UInt8]], limits: XMLLimits = XMLLimits()) -> Outcome {
    let gathering = Gathering()
    let stream = XMLStream(handler: gathering, limits: limits)
    do {
        for piece in pieces { try stream.feed(piece.span) }
        try stream.finish()
        return Outcome(events: gathering.events, error: nil)
    } catch {
        return Outcome(events: gathering.events, error: error)
    }
}

/// Reads `text` at once.
func read(_ text: String, limits: XMLLimits = XMLLimits()) -> Outcome {
    read([Array(text.utf8)], limits: limits)
}

/// `bytes` one by one.
func singles(_ bytes: [UInt8]) -> [[UInt8]] { bytes.map { [$0] } }

/// `bytes` in random pieces.
func cut(_ bytes: [UInt8], _ random: inout SplitMix64) -> [[UInt8]] {
    var pieces: [[UInt8]] = []
    var start = 0
    while start < bytes.count {
        let end = min(bytes.count, start + Int(random.next() % 17) + 1)
        pieces.append(Array(bytes[start..<end]))
        start = end
    }
    return pieces
}
