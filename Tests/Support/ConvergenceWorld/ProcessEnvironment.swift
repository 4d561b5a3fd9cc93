import Glibc

/// Settings of a run of the tests.
public enum ProcessEnvironment {
    /// The number in an environment variable; nil where it is not set or none.
    public static func number(_ name: String) -> Int? {
        getenv(name).flatMap { Int(String(cString: $0)) }
    }

    /// The text of an environment variable; nil where it is not set.
    public static func text(_ name: String) -> String? { getenv(name).map { String(cString: $0) } }
}
