internal import OpenRosa

extension Harness {
    /// Reads what a document says, whole and in pieces.
    static let commCare = Harness(name: "commcare") { bytes in
        var dice = Dice(bytes)
        let pieces = dice.cut(bytes.count)
        // Tight bounds, so that small inputs meet them.
        let tight = CommCareBounds(text: 12, event: 60, members: 3)
        for (bounds, purpose) in [
            (CommCareBounds(), OpenRosaReader.Purpose.any), (tight, .any), (tight, .submission),
        ] {
            let whole = CommCareReader.read(bytes, purpose: purpose, bounds: bounds)
            var events: [CommCareEvent] = []
            var failure: XMLError?
            let reader = CommCareReader(purpose: purpose, bounds: bounds) { events.append($0) }
            do throws(XMLError) {
                for piece in pieces { try reader.feed(bytes.span.extracting(piece)) }
                try reader.finish()
            } catch {
                failure = error
            }
            demandSame(whole.events, events, "cuts change nothing of what is said")
            demandSame([whole.error], [failure], "cuts change nothing of the error")
            for event in whole.events {
                guard let place = event.position else { continue }
                demand(
                    (0...Int64(bytes.count)).contains(place.offset), "a place is in the document")
            }
        }
    }
}
