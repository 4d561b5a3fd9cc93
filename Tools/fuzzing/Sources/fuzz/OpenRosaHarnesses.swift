internal import Notation
internal import OpenRosa
internal import Wire

extension Harness {
    static let openRosa: [Harness] = [xml, openRosaReader, retryAfter, actionable]

    /// Reads XML whole and in pieces.
    private static let xml = Harness(name: "xml") { bytes in
        var dice = Dice(bytes)
        // Tight bounds, so that small inputs meet them.
        let limits = XMLLimits(depth: 20, markup: 400, attributes: 8, namespaces: 12, text: 33)
        for limits in [limits, XMLLimits()] {
            let whole = XMLLines.read(bytes, [0..<bytes.count], limits)
            demandSame(
                whole, XMLLines.read(bytes, dice.cut(bytes.count), limits),
                "cuts change nothing of XML")
        }
    }

    /// Tells what a document is, whole and in pieces.
    private static let openRosaReader = Harness(name: "openrosa") { bytes in
        var dice = Dice(bytes)
        let pieces = dice.cut(bytes.count)
        for purpose in [OpenRosaReader.Purpose.any, .submission] {
            let whole = OpenRosaReader.read(bytes, purpose: purpose)
            let reader = OpenRosaReader(purpose: purpose)
            for piece in pieces { reader.feed(bytes.span.extracting(piece)) }
            let other = reader.finish()
            if whole != other {
                demandSame(
                    "\(whole)".split(separator: ","), "\(other)".split(separator: ","),
                    "cuts change nothing of a document")
            }
            demand(whole.fixtureIDs.count <= OpenRosaDocument.longestList, "lists are bounded")
        }
    }

    /// Reads the value of a `Retry-After` field.
    private static let retryAfter = Harness(name: "retry-after", longest: 256) { bytes in
        let text = String(decoding: bytes, as: UTF8.self)
        switch RetryAfter.parse(text) {
        case .seconds(let seconds)?: demand(seconds >= 0, "a pause is not negative")
        case .date(let date)?:
            demand((1600...9999).contains(date.year), "a year is one of this calendar")
            demand(date.unixSeconds < 253_402_300_801, "a date is before the year 10000")
        case nil: break
        }
        demand(
            RetryAfter.parse(text) == RetryAfter.parse("\t \(text) "), "space around means nothing")
    }

    /// Reads the JSON of a 406.
    private static let actionable = Harness(name: "actionable") { bytes in
        do throws(ActionableMessage.Problem) {
            let message = try ActionableMessage(parsing: bytes.span)
            demand(
                message.message(translations: [:]) == message.defaultResponse,
                "without translation the default is shown")
        } catch {
            guard case .notAnObjectOfStrings(let offset) = error else { return }
            demand((0...bytes.count).contains(offset), "the place is inside the body")
        }
    }
}
