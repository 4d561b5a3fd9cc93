public import Notation
import Wire

/// An object of a server's bucket with its past, for seeding a bucket and looking into one.
public struct ServerObject: Hashable, Sendable {
    /// One version of an object.
    public struct Version: Hashable, Sendable {
        /// The version, from 1.
        public var number: Int64
        /// The data; always a JSON object.
        public var data: JSONValue
        /// The map of operations that made it of the version before; nil where that is unknown.
        public var change: JSONValue?

        /// A version with these values.
        public init(number: Int64, data: JSONValue, change: JSONValue? = nil) {
            self.number = number
            self.data = data
            self.change = change
        }
    }

    /// Its key.
    public var key: String
    /// The newest version, or that of the removal.
    public var number: Int64
    /// Whether it was removed.
    public var isRemoved: Bool
    /// The versions that are kept, in ascending order; the newest is last unless it was removed.
    public var versions: [Version]

    /// An object with a past.
    public init(key: String, number: Int64, isRemoved: Bool, versions: [Version]) {
        self.key = key
        self.number = number
        self.isRemoved = isRemoved
        self.versions = versions
    }

    /// An object with one known version.
    public init(key: String, number: Int64, data: JSONValue) {
        self.init(
            key: key, number: number, isRemoved: false,
            versions: [Version(number: number, data: data)])
    }

    /// The newest data; nil where it was removed.
    public var data: JSONValue? { isRemoved ? nil : versions.last?.data }
}
