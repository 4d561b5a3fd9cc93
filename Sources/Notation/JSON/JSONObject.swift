/// The members of a JSON object in their order, duplicate keys included.
public struct JSONObject: Sendable {
    /// A key and its value.
    public struct Member: Hashable, Sendable {
        /// The key.
        public var key: ExactText
        /// The value.
        public var value: JSONValue

        /// The member `key: value`.
        public init(_ key: String, _ value: JSONValue) {
            self.key = ExactText(key)
            self.value = value
        }
    }

    /// The members.
    public var members: [Member]

    /// An object with these members.
    public init(_ members: [Member] = []) { self.members = members }

    /// The value of the last member with this key, as JavaScript and Python have it.
    ///
    /// Takes time linear in the number of members; ``index()`` serves many look-ups.
    public subscript(key: String) -> JSONValue? {
        let key = ExactText(key)
        return members.last { $0.key == key }?.value
    }

    /// The place of the last member with each key.
    public func index() -> [ExactText: Int] {
        var places: [ExactText: Int] = [:]
        places.reserveCapacity(members.count)
        for (place, member) in members.enumerated() { places[member.key] = place }
        return places
    }
}

extension JSONObject: Hashable {
    /// Whether both have the same members in the same order.
    public static func == (a: JSONObject, b: JSONObject) -> Bool { a.members == b.members }

    /// Hashes the members in their order.
    public func hash(into hasher: inout Hasher) { hasher.combine(members) }
}
