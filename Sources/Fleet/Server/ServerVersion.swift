/// The version of a ClickHouse server, and what it can.
public struct ServerVersion: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The year, since 18.
    public let major: Int
    /// The month or the number of the release.
    public let minor: Int

    /// A version.
    public init(major: Int, minor: Int) {
        self.major = major
        self.minor = minor
    }

    /// Reads `18.16.1` or `24.8.1.1`; nil for anything else.
    public init?(_ text: String) {
        let parts = text.split(separator: ".").prefix(2).map { Int($0) }
        guard parts.count == 2, let major = parts[0], let minor = parts[1] else { return nil }
        self.init(major: major, minor: minor)
    }

    /// MAJOR.MINOR.
    public var description: String { "\(major).\(minor)" }

    /// In the order of release.
    public static func < (a: Self, b: Self) -> Bool { (a.major, a.minor) < (b.major, b.minor) }

    /// The oldest that is supported: Debian 12 has it.
    public static let oldest = ServerVersion(major: 18, minor: 16)

    /// Whether columns may have a codec of their own.
    var hasCodecs: Bool { self >= ServerVersion(major: 19, minor: 11) }

    /// Whether a table may have rows deleted by their age.
    var hasTimeToLive: Bool { self >= ServerVersion(major: 19, minor: 6) }
}
