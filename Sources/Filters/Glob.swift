/// A text with wildcards: `*` matches any run of characters, also an empty one.
public struct Glob: Hashable, Sendable {
    /// The literals between the stars; one more than there are stars, at least two.
    public let literals: [String]

    /// The pattern with one star between each of `literals` and the next.
    ///
    /// - Parameter literals: At least two; any may be empty.
    public init(_ literals: [String]) {
        self.literals = literals
    }

    /// Whether the whole of `value` fits.
    ///
    /// Finds each literal at its first place, which decides in linear time what stars can match.
    /// With `ignoringCase`, upper and lower case ASCII letters are the same.
    public func matches(_ value: UnsafeRawBufferPointer, ignoringCase: Bool) -> Bool {
        guard let first = literals.first, let last = literals.last, literals.count > 1 else {
            return false
        }
        let (head, tail) = (first.utf8, last.utf8)
        guard value.count >= head.count + tail.count,
            Self.fits(value, at: 0, head, ignoringCase),
            Self.fits(value, at: value.count - tail.count, tail, ignoringCase)
        else { return false }
        var position = head.count
        let end = value.count - tail.count
        for literal in literals.dropFirst().dropLast() {
            let needle = literal.utf8
            while true {
                guard position + needle.count <= end else { return false }
                if Self.fits(value, at: position, needle, ignoringCase) { break }
                position += 1
            }
            position += needle.count
        }
        return true
    }

    /// The same pattern for SQLite's `GLOB`.
    public var sqliteGlob: String {
        literals.map { Self.escaped($0) { "*?[".unicodeScalars.contains($0) ? "[\($0)]" : nil } }
            .joined(separator: "*")
    }

    /// The same pattern for SQLite's `LIKE` with the escape character `\`.
    public var sqliteLike: String {
        literals.map { Self.escaped($0) { "%_\\".unicodeScalars.contains($0) ? "\\\($0)" : nil } }
            .joined(separator: "%")
    }

    /// The same pattern as first argument of `tape_glob`: stars, with `\` before literal
    /// characters.
    public var pattern: String {
        literals.map { Self.escaped($0) { "*\\".unicodeScalars.contains($0) ? "\\\($0)" : nil } }
            .joined(separator: "*")
    }

    /// Reads what ``pattern`` of another one gave.
    public init(pattern: String) {
        var literals = [String.UnicodeScalarView()]
        var isEscaped = false
        for scalar in pattern.unicodeScalars {
            if isEscaped {
                literals[literals.count - 1].append(scalar)
                isEscaped = false
            } else if scalar == "\\" {
                isEscaped = true
            } else if scalar == "*" {
                literals.append(.init())
            } else {
                literals[literals.count - 1].append(scalar)
            }
        }
        self.literals = literals.map(String.init)
    }

    /// `text` with every scalar replaced for which `escape` has something.
    private static func escaped(
        _ text: String, _ escape: (Unicode.Scalar) -> String?
    ) -> String {
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            if let replacement = escape(scalar) {
                result.append(contentsOf: replacement.unicodeScalars)
            } else {
                result.append(scalar)
            }
        }
        return String(result)
    }

    /// Whether `literal` is at `start`, which leaves room for it.
    private static func fits(
        _ value: UnsafeRawBufferPointer, at start: Int, _ literal: String.UTF8View,
        _ ignoringCase: Bool
    ) -> Bool {
        var index = start
        for expected in literal {
            let byte = value[index]
            index += 1
            if byte == expected { continue }
            guard ignoringCase, byte ^ expected == 0x20, (0x61...0x7A).contains(byte | 0x20)
            else { return false }
        }
        return true
    }
}
