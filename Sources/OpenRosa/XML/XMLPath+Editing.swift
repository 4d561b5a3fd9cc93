import Notation

extension XMLPath {
    /// Why a document cannot be edited.
    public enum EditError: Error, Hashable, Sendable, CustomStringConvertible {
        /// It is not XML, or has a document type declaration.
        case notXML(XMLError)
        /// It is in UTF-16.
        case encoding
        /// The path leads to nothing.
        case missing
        /// An element that the path leads to has elements in it.
        case hasElements(String)

        /// The reason in words.
        public var description: String {
            switch self {
            case .notXML(let error): "the body is not XML: \(error)"
            case .encoding: "the XML is in UTF-16; UTF-8 and encodings with ASCII are edited"
            case .missing: "the XML has nothing at this path"
            case .hasElements(let name): "<\(name)> has elements in it; only text is replaced"
            }
        }
    }

    /// `document` with a text in place of what the path leads to, wherever that is; all other bytes
    /// stay.
    ///
    /// What else is in an element, such as comments, is replaced with its text.
    ///
    /// - Parameters:
    ///   - value: The text.
    ///   - document: The document as sent.
    /// - Returns: The document with the edit.
    /// - Throws: ``EditError``.
    public func setting(_ value: String, in document: [UInt8]) throws(EditError) -> [UInt8] {
        try Self.check(document)
        guard case .known(let encoding, _) = XMLEncoding.detect(document, isWhole: true) else {
            throw .encoding
        }
        if case .utf16 = encoding { throw .encoding }
        var walk = Walk(self, document, Self.written(value, in: encoding))
        for piece in XMLPiece.all(of: document) { try walk.take(piece) }
        guard let edited = walk.result else { throw .missing }
        return edited
    }

    /// A document that is cut into pieces has to be well-formed.
    private static func check(_ document: [UInt8]) throws(EditError) {
        let stream = XMLStream(handler: Unheard())
        stream.deliversText = false
        do throws(XMLError) {
            try stream.feed(document.span)
            try stream.finish()
        } catch {
            throw .notXML(error)
        }
    }

    private final class Unheard: XMLEventHandler {
        func start(_ tag: borrowing XMLTag) {}
        func end(_ tag: borrowing XMLTag) {}
        func text(_ bytes: borrowing Span<UInt8>) {}
    }

    /// A value for content and attributes; in other encodings than UTF-8 in ASCII.
    private static func written(_ value: String, in encoding: XMLEncoding) -> [UInt8] {
        let text = Markup.escaped(value, keepsSpaces: false)
        var bytes: [UInt8] = []
        for scalar in text.unicodeScalars {
            if scalar == "'" {
                bytes += "&#39;".utf8
            } else if encoding != .utf8, !scalar.isASCII {
                bytes += "&#\(scalar.value);".utf8
            } else {
                bytes += scalar.utf8
            }
        }
        return bytes
    }
}

/// A walk over a document that follows all ways of a path at once.
private struct Walk {
    /// An open element.
    private struct Element {
        /// The steps that its children may be, by number.
        var next: UInt64
        /// Its name as the document has it.
        var name: Range<Int>
        /// Where its content begins.
        var start: Int
        /// Whether the path leads to it.
        var isTarget = false
        var hasElements = false
        /// How many of its children a predicate with a position has met, by step and predicate.
        var counts: [Int: Int] = [:]
    }

    private let path: XMLPath
    private let source: [UInt8]
    private let value: [UInt8]
    private var open: [Element]
    private var output: [UInt8] = []
    /// Up to where the document is in the output.
    private var place = 0
    private var isFound = false

    init(_ path: XMLPath, _ source: [UInt8], _ value: [UInt8]) {
        self.path = path
        self.source = source
        self.value = value
        open = [Element(next: 1, name: 0..<0, start: 0)]
    }

    /// The document with the edits; nil where there are none.
    var result: [UInt8]? { isFound ? output + source[place...] : nil }

    mutating func take(_ piece: XMLPiece) throws(XMLPath.EditError) {
        switch piece.kind {
        case .start, .empty:
            let element = begin(piece)
            guard piece.kind == .empty else {
                open.append(element)
                return
            }
            guard element.isTarget else { return }
            isFound = true
            guard !value.isEmpty else { return }
            let ending = piece.bytes.upperBound - 2..<piece.bytes.upperBound
            replace(ending, by: [0x3E] + value + Array("</".utf8) + source[element.name] + [0x3E])
        case .end:
            guard open.count > 1, let element = open.popLast(), element.isTarget else { return }
            guard !element.hasElements else {
                throw .hasElements(String(decoding: source[element.name], as: UTF8.self))
            }
            isFound = true
            replace(element.start..<piece.bytes.lowerBound, by: value)
        case .text, .blank, .other: return
        }
    }

    private mutating func replace(_ range: Range<Int>, by bytes: [UInt8]) {
        output += source[place..<range.lowerBound] + bytes
        place = range.upperBound
    }

    /// The element that a tag begins, with where the path goes on in it.
    private mutating func begin(_ tag: XMLPiece) -> Element {
        let attributes = XMLTagAttributes(source, tag.bytes)
        var element = Element(next: 0, name: attributes.name, start: tag.bytes.upperBound)
        let parent = open.count - 1
        open[parent].hasElements = true
        let candidates = open[parent].next
        for (number, step) in path.steps.enumerated() where candidates & (1 << number) != 0 {
            if step.isAnyDepth { element.next |= 1 << number }
            guard step.name?.fits(source[attributes.name]) ?? true,
                fits(number, step.predicates, attributes, parent)
            else { continue }
            if number + 1 < path.steps.count {
                element.next |= 1 << (number + 1)
            } else if let name = path.attribute {
                for one in attributes.all where name.fits(source[one.name]) {
                    isFound = true
                    replace(one.value, by: value)
                    break
                }
            } else {
                element.isTarget = true
            }
        }
        return element
    }

    private mutating func fits(
        _ step: Int, _ predicates: [XMLPath.Predicate], _ attributes: XMLTagAttributes,
        _ parent: Int
    ) -> Bool {
        for (number, predicate) in predicates.enumerated() {
            switch predicate {
            case .position(let wanted):
                let key = step * XMLPath.maximumSteps + number
                let count = (open[parent].counts[key] ?? 0) + 1
                open[parent].counts[key] = count
                guard count == wanted else { return false }
            case .attribute(let name, let wanted):
                let has = attributes.all.contains {
                    name.fits(source[$0.name]) && XMLReferences.replaced(source[$0.value]) == wanted
                }
                guard has else { return false }
            }
        }
        return true
    }
}

/// The places in a tag.
private struct XMLTagAttributes {
    /// Name of the element.
    let name: Range<Int>
    /// The attributes, with what is between the quotes.
    let all: [(name: Range<Int>, value: Range<Int>)]

    /// Those of the tag at `range`, which is well-formed.
    init(_ source: [UInt8], _ range: Range<Int>) {
        func isSpace(_ byte: UInt8) -> Bool { byte <= 0x20 }
        let end = range.upperBound - 1
        var at = range.lowerBound + 1
        func word(_ start: Int) -> Int {
            var at = start
            while at < end, !isSpace(source[at]), source[at] != 0x3D, source[at] != 0x2F { at += 1 }
            return at
        }
        let nameEnd = word(at)
        name = at..<nameEnd
        at = nameEnd
        var all: [(name: Range<Int>, value: Range<Int>)] = []
        while at < end {
            guard !isSpace(source[at]), source[at] != 0x2F else {
                at += 1
                continue
            }
            let start = at
            at = word(at)
            let name = start..<at
            while at < end, source[at] != 0x22, source[at] != 0x27 { at += 1 }
            guard at < end,
                let close = source[(at + 1)..<end].firstIndex(of: source[at])
            else { break }
            all.append((name, at + 1..<close))
            at = close + 1
        }
        self.all = all
    }
}

/// References to characters.
private enum XMLReferences {
    /// A value with its references replaced; unknown ones stay.
    static func replaced(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        guard bytes.contains(0x26) else { return Array(bytes) }
        var result: [UInt8] = []
        var rest = bytes
        while let byte = rest.first {
            if byte == 0x26, let end = rest.prefix(12).firstIndex(of: 0x3B),
                let scalar = scalar(rest[(rest.startIndex + 1)..<end])
            {
                result += String(scalar).utf8
                rest = rest[(end + 1)...]
            } else {
                result.append(byte)
                rest = rest.dropFirst()
            }
        }
        return result
    }

    private static func scalar(_ name: ArraySlice<UInt8>) -> Unicode.Scalar? {
        let text = String(decoding: name, as: UTF8.self)
        switch text {
        case "amp": return "&"
        case "lt": return "<"
        case "gt": return ">"
        case "quot": return "\""
        case "apos": return "'"
        default:
            guard text.hasPrefix("#") else { return nil }
            let isHexadecimal = text.dropFirst().first == "x"
            return UInt32(text.dropFirst(isHexadecimal ? 2 : 1), radix: isHexadecimal ? 16 : 10)
                .flatMap(Unicode.Scalar.init)
        }
    }
}
