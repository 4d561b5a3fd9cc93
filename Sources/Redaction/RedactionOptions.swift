internal import Trace

/// What counts as a secret in addition to ``RedactionPlaces`` and the shapes of text.
public struct RedactionOptions: Sendable {
    /// Regular expressions, in the syntax of Swift's `Regex`; every match in decoded text is a
    /// secret.
    public var patterns: [String]
    /// More names of elements, members, parameters and fields whose values are secrets, in any case.
    public var names: [String]

    /// Options with these patterns and names.
    public init(patterns: [String] = [], names: [String] = []) {
        self.patterns = patterns
        self.names = names
    }

    /// The compiled patterns.
    func expressions() throws(FileError) -> [Regex<AnyRegexOutput>] {
        var compiled: [Regex<AnyRegexOutput>] = []
        for pattern in patterns {
            do {
                compiled.append(try Regex(pattern))
            } catch {
                throw FileError(
                    .malformed,
                    "\(pattern) is not a regular expression: \(error); use the syntax of Swift's "
                        + "Regex"
                )
            }
        }
        return compiled
    }
}
