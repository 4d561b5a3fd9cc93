internal import NIOCore
internal import Notation
internal import Serving

/// Tells one page what is new about the listings that it looks at.
///
/// Of the event loop of its socket.
final class LiveFeed {
    private struct Subscription {
        let trace: InspectedTrace
        let listing: Listing
        /// The changes that the page knows of.
        var cursor: Int
        var isSaid = false
    }

    /// Subscriptions of a page.
    static let most = 8

    private let traces: [InspectedTrace]
    private var subscriptions: [String: Subscription] = [:]

    init(_ traces: [InspectedTrace]) { self.traces = traces }

    /// Takes a message of the page.
    ///
    /// - Returns: What is to be said about it at once; nil for nothing.
    func take(_ text: String) -> String? {
        guard case .object(let object)? = try? JSONValue(parsing: text) else {
            return Self.problem(
                "bad-message", "send {\"subscribe\": {\"trace\": 1, \"listing\": 1}}")
        }
        if let asked = object["unsubscribe"], let key = Self.key(asked) {
            subscriptions[key.text] = nil
            return nil
        }
        guard let asked = object["subscribe"], let key = Self.key(asked) else {
            return Self.problem("bad-message", "subscribe or unsubscribe names trace and listing")
        }
        guard let trace = traces.first(where: { $0.id == key.trace }),
            let listing = try? trace.listings.listing(key.listing)
        else {
            return Self.problem(
                "no-listing", "make the listing again", trace: key.trace, listing: key.listing)
        }
        guard subscriptions[key.text] != nil || subscriptions.count < Self.most else {
            return Self.problem("too-many", "unsubscribe from others first")
        }
        let cursor = Self.number(asked["cursor"]) ?? listing.progress.changes
        subscriptions[key.text] = Subscription(trace: trace, listing: listing, cursor: cursor)
        return nil
    }

    /// What is new since the last call, a message for each listing.
    func news() -> [String] {
        var messages: [String] = []
        for (key, subscription) in subscriptions {
            let listing = subscription.listing
            listing.use()
            let progress = listing.progress
            guard progress.changes != subscription.cursor || !subscription.isSaid else { continue }
            var object = JSONObjectText()
            object.add("trace", Int64(subscription.trace.id))
            object.add("listing", Int64(listing.id))
            InspectionService.add(progress, to: &object)
            let changed = listing.changed(after: subscription.cursor)
            let names = changed?.map { JSONString.quoted($0.name) }.joined(separator: ",")
            object.add("changed", raw: names.map { "[\($0)]" } ?? "null")
            messages.append(object.text)
            subscriptions[key]?.cursor = progress.changes
            subscriptions[key]?.isSaid = true
        }
        return messages
    }

    private static func key(_ value: JSONValue) -> (trace: Int, listing: Int, text: String)? {
        guard let trace = number(value["trace"]), let listing = number(value["listing"]) else {
            return nil
        }
        return (trace, listing, "\(trace)/\(listing)")
    }

    private static func number(_ value: JSONValue?) -> Int? {
        guard case .number(let text)? = value else { return nil }
        return Int(text)
    }

    private static func problem(
        _ code: String, _ hint: String, trace: Int? = nil, listing: Int? = nil
    ) -> String {
        var object = JSONObjectText()
        object.add("error", code)
        object.add("hint", hint)
        if let trace { object.add("trace", Int64(trace)) }
        if let listing { object.add("listing", Int64(listing)) }
        return object.text
    }
}
