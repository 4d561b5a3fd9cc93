import Glibc

/// Settings of a run of the tests.
enum ProcessEnvironment {
    /// The number in an environment variable; nil where it is not set or none.
    static func number(_ name: String) -> Int? {
        getenv(name).flatMap { Int(String(cString: $0)) }
    }
}
