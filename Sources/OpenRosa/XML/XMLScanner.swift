import CLibXML2

/// Reads the markup and text that nothing can be said against, for a fraction of what libxml2 takes.
///
/// It finds no faults: it stops before the first thing that is wrong, rare or not known here, and
/// libxml2 reads the rest of the document. So what is said about faults is always libxml2's, and its
/// events are those of this.
final class XMLScanner {
    /// What became of a piece.
    enum Step {
        /// It was read up to this place.
        case read(Int)
        /// It does not end in what there is.
        case unfinished
        /// libxml2 has to look at it.
        case doubtful
    }

    /// An element that has begun and not ended.
    struct Element {
        var name: XMLScannedName
        var namespace: UnsafePointer<UInt8>?
        /// The number of namespaces that it declares.
        var declared: Int
        /// The line of its tag, from 1.
        var line: Int
    }

    struct Namespace {
        var prefix: UnsafePointer<UInt8>?
        /// Nil where a prefix or the default is undeclared.
        var uri: UnsafePointer<UInt8>?
    }

    typealias Bytes = UnsafePointer<UInt8>

    /// More attributes than this in one tag are left to libxml2, since each is compared with each.
    static let mostAttributes = 64

    let limits: XMLLimits
    let context: xmlParserCtxtPtr
    let classes = XMLByteClasses()
    @exclusivity(unchecked) var names: XMLScannedNames

    /// Room for the open elements, of which there are ``depth``.
    @exclusivity(unchecked) private(set) var elements =
        UnsafeMutableBufferPointer<Element>.allocate(capacity: 64)
    @exclusivity(unchecked) var depth = 0
    /// Whether the stream has an error, and wants nothing more.
    @exclusivity(unchecked) var isStopped = false
    /// Room for the namespaces that are declared, of which there are ``scope``.
    @exclusivity(unchecked) private(set) var namespaces =
        UnsafeMutableBufferPointer<Namespace>.allocate(capacity: 16)
    @exclusivity(unchecked) var scope = 0
    @exclusivity(unchecked) var line = 1
    @exclusivity(unchecked) var hasRoot = false
    /// Place of the markup that is reported, in what is scanned.
    @exclusivity(unchecked) var opening = 0
    /// The place after it.
    @exclusivity(unchecked) var closing = 0

    /// Five pointers for each attribute, as libxml2 has them.
    let attributes: UnsafeMutablePointer<UnsafePointer<UInt8>?>
    /// Values of attributes that are not what the document has, and texts with a zero at their end.
    @exclusivity(unchecked) private(set) var scratch = UnsafeMutableBufferPointer<UInt8>(
        start: nil, count: 0)
    @exclusivity(unchecked) var scratched = 0

    init(_ limits: XMLLimits, _ context: xmlParserCtxtPtr) {
        self.limits = limits
        self.context = context
        names = XMLScannedNames(context)
        attributes = .allocate(capacity: 5 * Self.mostAttributes)
    }

    deinit {
        classes.free()
        names.free()
        attributes.deallocate()
        elements.deallocate()
        namespaces.deallocate()
    }

    /// Whether the root element has ended.
    var isComplete: Bool { hasRoot && depth == 0 }

    /// The open elements, and whether there has been one, for who counts tags.
    var state: (open: Int, hasTag: Bool) { (depth, hasRoot) }

    /// Reads what it can.
    ///
    /// - Parameters:
    ///   - document: Whole UTF-8 characters, from where the reading before ended.
    ///   - isStart: Whether they are the first of the document.
    ///   - stream: Gets the events.
    /// - Returns: How many bytes were read, and whether libxml2 has to read on. Where not, what is
    ///   left is the beginning of one piece of markup, or up to two bytes of text.
    func scan(
        _ document: UnsafeBufferPointer<UInt8>, isStart: Bool, for stream: XMLStream
    ) -> (read: Int, isDoubtful: Bool) {
        guard let base = document.baseAddress else { return (0, false) }
        scratch = .allocate(capacity: document.count + 1)
        defer {
            scratch.deallocate()
            scratch = .init(start: nil, count: 0)
        }
        var at = 0
        while at < document.count, !isStopped {
            let step =
                base[at] != 0x3C
                ? text(base, at, document.count, stream)
                : markup(base, at, document.count, isStart: isStart && at == 0, stream)
            switch step {
            case .read(let end): at = end
            case .unfinished: return (at, false)
            case .doubtful: return (at, true)
            }
        }
        return (at, false)
    }
}

extension XMLScanner {
    func push(_ element: Element) {
        if depth == elements.count { elements = Self.wider(elements) }
        elements.initializeElement(at: depth, to: element)
        depth += 1
    }

    func declare(_ namespace: Namespace) {
        if scope == namespaces.count { namespaces = Self.wider(namespaces) }
        namespaces.initializeElement(at: scope, to: namespace)
        scope += 1
    }

    private static func wider<Value>(
        _ full: UnsafeMutableBufferPointer<Value>
    ) -> UnsafeMutableBufferPointer<Value> {
        let wide = UnsafeMutableBufferPointer<Value>.allocate(capacity: 2 * full.count)
        _ = wide.moveInitialize(fromContentsOf: full)
        full.deallocate()
        return wide
    }
}

// MARK: Text

extension XMLScanner {
    private func text(
        _ base: Bytes, _ start: Int, _ count: Int, _ stream: XMLStream
    ) -> Step {
        guard depth > 0 else { return outside(base, start, count) }
        let first = base[start]
        if first == 0x26 { return reference(base, start, count, stream) }
        let kinds = classes.kinds
        var from = start
        var at = start
        scanning: while at < count {
            let byte = base[at]
            guard kinds[Int(byte)] & XMLByteClasses.stopsText != 0 else {
                at += 1
                continue
            }
            switch byte {
            case 0x3C, 0x26: break scanning
            case 0x0A:
                line += 1
                at += 1
            case 0x0D:
                guard at + 1 < count else { break scanning }
                gather(base, from, at, stream)
                if base[at + 1] != 0x0A {
                    withUnsafePointer(to: 0x0A) {
                        stream.gather(UnsafeBufferPointer(start: $0, count: 1))
                    }
                }
                (from, at) = (at + 1, at + 1)
            case 0x5D:
                // What ends a section may not stand in a text.
                guard at + 1 < count else { break scanning }
                if base[at + 1] == 0x5D {
                    guard at + 2 < count, base[at + 2] != 0x3E else { break scanning }
                }
                at += 1
            case 0xEF where !isNoncharacter(base, at, count): at += 1
            default:
                gather(base, from, at, stream)
                return at > start ? .read(at) : .doubtful
            }
        }
        if at > start {
            // All of a text that a tag follows need not be gathered.
            if at + 1 < count, base[at] == 0x3C, base[at + 1] != 0x21, base[at + 1] != 0x3F,
                from == start
            {
                stream.deliver(UnsafeBufferPointer(start: base + from, count: at - from))
            } else {
                gather(base, from, at, stream)
            }
            return .read(at)
        }
        return at + 2 < count ? .doubtful : .unfinished
    }

    private func gather(_ base: Bytes, _ from: Int, _ to: Int, _ stream: XMLStream) {
        if to > from { stream.gather(UnsafeBufferPointer(start: base + from, count: to - from)) }
    }

    /// White space before and after the root element.
    private func outside(_ base: Bytes, _ start: Int, _ count: Int) -> Step {
        var at = start
        while at < count, isSpace(base[at]) {
            if base[at] == 0x0A { line += 1 }
            at += 1
        }
        return at > start ? .read(at) : .doubtful
    }

    private func reference(
        _ base: Bytes, _ start: Int, _ count: Int, _ stream: XMLStream
    ) -> Step {
        var expanded: [UInt8] = []
        let step = expand(base, start, count, into: &expanded)
        if case .read = step {
            expanded.withUnsafeBufferPointer { stream.gather($0) }
        }
        return step
    }

    /// What a reference at `start` stands for.
    func expand(
        _ base: Bytes, _ start: Int, _ count: Int, into text: inout [UInt8]
    ) -> Step {
        // `&#x10FFFF;` with two zeros more is the longest that is read here.
        let end = min(count, start + 12)
        guard let semicolon = (start + 1..<end).first(where: { base[$0] == 0x3B }) else {
            return end == count ? .unfinished : .doubtful
        }
        let name = UnsafeBufferPointer(start: base + start + 1, count: semicolon - start - 1)
        guard name.first == 0x23 else {
            guard let (entity, byte) = Self.predefined(name) else { return .doubtful }
            names.keep(entity)
            text.append(byte)
            return .read(semicolon + 1)
        }
        let isHexadecimal = name.count > 1 && name[1] == 0x78
        let digits = name.dropFirst(isHexadecimal ? 2 : 1)
        var value: UInt32 = 0
        for digit in digits {
            let folded = digit | 0x20
            switch digit {
            case 0x30...0x39: value = value * (isHexadecimal ? 16 : 10) + UInt32(digit - 0x30)
            case _ where isHexadecimal && folded >= 0x61 && folded <= 0x66:
                value = value * 16 + UInt32(folded - 0x61 + 10)
            default: return .doubtful
            }
        }
        guard !digits.isEmpty, let scalar = Unicode.Scalar(value), Self.isCharacter(value),
            let encoded = UTF8.encode(scalar)
        else { return .doubtful }
        text.append(contentsOf: encoded)
        return .read(semicolon + 1)
    }

    private static func predefined(
        _ name: UnsafeBufferPointer<UInt8>
    ) -> (XMLScannedReference, UInt8)? {
        func isName(_ text: StaticString) -> Bool {
            text.withUTF8Buffer { $0.elementsEqual(name) }
        }
        if isName("amp") { return (.amp, 0x26) }
        if isName("lt") { return (.lt, 0x3C) }
        if isName("gt") { return (.gt, 0x3E) }
        if isName("quot") { return (.quot, 0x22) }
        return isName("apos") ? (.apos, 0x27) : nil
    }

    /// Char of XML 1.0, 2.2.
    private static func isCharacter(_ value: UInt32) -> Bool {
        value >= 0x20
            ? value != 0xFFFE && value != 0xFFFF : value == 0x09 || value == 0x0A || value == 0x0D
    }

    @inline(__always)
    func isSpace(_ byte: UInt8) -> Bool {
        byte == 0x20 || byte == 0x0A || byte == 0x09 || byte == 0x0D
    }

    /// Whether U+FFFE or U+FFFF is at `at`.
    func isNoncharacter(_ base: Bytes, _ at: Int, _ count: Int) -> Bool {
        at + 2 < count && base[at + 1] == 0xBF && base[at + 2] >= 0xBE
    }
}

/// What each byte means to ``XMLScanner``, in a table.
struct XMLByteClasses {
    /// In text: markup, references, and what has to be looked at.
    static let stopsText: UInt8 = 1
    /// The same in the value of an attribute.
    static let stopsValue: UInt8 = 2
    /// Belongs to a name.
    static let isName: UInt8 = 4

    let kinds: UnsafePointer<UInt8>

    init() {
        let kinds = UnsafeMutablePointer<UInt8>.allocate(capacity: 256)
        for byte in 0..<256 {
            var kind: UInt8 = 0
            switch UInt8(byte) {
            case 0x09: kind = Self.stopsValue
            case ..<0x20, 0xEF: kind = Self.stopsText | Self.stopsValue
            case 0x26, 0x3C: kind = Self.stopsText | Self.stopsValue
            case 0x5D: kind = Self.stopsText
            case 0x22, 0x27: kind = Self.stopsValue
            default: break
            }
            switch UInt8(byte) {
            case 0x2D, 0x2E, 0x30...0x3A, 0x41...0x5A, 0x5F, 0x61...0x7A, 0x80...:
                kind |= Self.isName
            default: break
            }
            kinds[byte] = kind
        }
        self.kinds = UnsafePointer(kinds)
    }

    /// Frees the table.
    func free() { kinds.deallocate() }
}
