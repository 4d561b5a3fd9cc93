/// A path to elements of an XML document or to their attributes: a part of XPath 1.0.
///
/// `/a/b` are elements from the root on, `//b` those at any depth; `*` is any element. Behind a name
/// `[2]` is the second of its siblings with that name and `[@a='v']` those with that attribute; several
/// restrict one after the other. `@a` at the end is an attribute, `text()` there may be left out.
///
/// A name without prefix is that of elements with any prefix, or none; one with a prefix is compared
/// as the document has it.
public struct XMLPath: Hashable, Sendable {
    /// A mistake in a path.
    public struct Mistake: Error, Hashable, Sendable, CustomStringConvertible {
        /// What is wrong, in words.
        public let description: String
    }

    /// What restricts the elements of a step.
    enum Predicate: Hashable, Sendable {
        /// The place among the siblings that the step has so far, from 1.
        case position(Int)
        /// An attribute with this value.
        case attribute(XMLPathName, [UInt8])
    }

    /// Elements in or below those of the step before.
    struct Step: Hashable, Sendable {
        /// Whether they are at any depth.
        var isAnyDepth: Bool
        /// Their name; nil for any.
        var name: XMLPathName?
        var predicates: [Predicate] = []
    }

    /// The maximum number of steps, and of predicates of one.
    public static let maximumSteps = 30

    /// The steps from the root on, at least one.
    let steps: [Step]
    /// The attribute of the elements that is meant; nil for their text.
    let attribute: XMLPathName?

    /// The path that `text` writes.
    ///
    /// - Throws: ``Mistake``.
    public init(_ text: String) throws(Mistake) {
        var reader = Reader(bytes: Array(text.utf8))
        (steps, attribute) = try reader.path()
    }

    private struct Reader {
        let bytes: [UInt8]
        var place = 0

        mutating func path() throws(Mistake) -> ([Step], XMLPathName?) {
            var steps: [Step] = []
            while place < bytes.count {
                guard take("/") else { throw Mistake(description: "a path begins with / or //") }
                let isAnyDepth = take("/")
                if !steps.isEmpty, !isAnyDepth, take("@") {
                    let attribute = try name()
                    try end()
                    return (steps, attribute)
                }
                if !steps.isEmpty, !isAnyDepth, take("text()") {
                    try end()
                    return (steps, nil)
                }
                guard steps.count < XMLPath.maximumSteps else {
                    throw Mistake(
                        description: "a path has at most \(XMLPath.maximumSteps) steps")
                }
                steps.append(try step(isAnyDepth))
            }
            guard !steps.isEmpty else { throw Mistake(description: "a path begins with / or //") }
            return (steps, nil)
        }

        private mutating func step(_ isAnyDepth: Bool) throws(Mistake) -> Step {
            var step = Step(isAnyDepth: isAnyDepth, name: take("*") ? nil : try name())
            while take("[") {
                guard step.predicates.count < XMLPath.maximumSteps else {
                    throw Mistake(
                        description: "a step has at most \(XMLPath.maximumSteps) predicates")
                }
                step.predicates.append(try predicate())
                guard take("]") else { throw Mistake(description: "a ] is missing in the path") }
            }
            return step
        }

        private mutating func predicate() throws(Mistake) -> Predicate {
            if take("@") {
                let name = try name()
                guard take("="), let quote = peek, quote == 0x22 || quote == 0x27,
                    let end = bytes[(place + 1)...].firstIndex(of: quote)
                else { throw Mistake(description: "an attribute is compared as in [@id='a1']") }
                defer { place = end + 1 }
                return .attribute(name, Array(bytes[(place + 1)..<end]))
            }
            let digits = bytes[place...].prefix { (0x30...0x39).contains($0) }
            guard let number = Int(String(decoding: digits, as: UTF8.self)), number > 0 else {
                throw Mistake(
                    description:
                        "behind a name are numbers and attributes, as in [1] and [@id='a1']")
            }
            place = digits.endIndex
            return .position(number)
        }

        private mutating func name() throws(Mistake) -> XMLPathName {
            let other = Array("/[]@=*()'\"<>&|! \t\r\n".utf8)
            let text = bytes[place...].prefix { !other.contains($0) }
            guard let name = XMLPathName(text) else {
                throw Mistake(
                    description: "a name is missing in the path, or has more than one colon")
            }
            place = text.endIndex
            return name
        }

        private func end() throws(Mistake) {
            guard place == bytes.count else {
                throw Mistake(description: "nothing follows an attribute or text()")
            }
        }

        private var peek: UInt8? { place < bytes.count ? bytes[place] : nil }

        private mutating func take(_ text: StaticString) -> Bool {
            guard text.withUTF8Buffer({ bytes[place...].starts(with: $0) }) else { return false }
            place += text.utf8CodeUnitCount
            return true
        }
    }
}

/// A name in a path, with or without prefix.
struct XMLPathName: Hashable, Sendable {
    private let bytes: [UInt8]
    private let hasPrefix: Bool

    /// Nil where there is nothing, a part of it, or a second colon.
    init?(_ text: ArraySlice<UInt8>) {
        let parts = text.split(separator: UInt8(ascii: ":"), omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }) else { return nil }
        bytes = Array(text)
        hasPrefix = parts.count == 2
    }

    /// Whether a name as a document has it is meant.
    func fits(_ name: ArraySlice<UInt8>) -> Bool {
        if name.elementsEqual(bytes) { return true }
        guard !hasPrefix, name.count > bytes.count + 1 else { return false }
        let start = name.endIndex - bytes.count
        return name[start - 1] == UInt8(ascii: ":") && name[start...].elementsEqual(bytes)
            && !name.starts(with: "xmlns:".utf8)
    }
}
