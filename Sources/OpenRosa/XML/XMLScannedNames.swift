import CLibXML2

/// A name as it stands in tags, with its parts as libxml2 keeps them.
struct XMLScannedName {
    /// Whether its bytes are at `start`, where as many may be read.
    @inline(__always)
    func isAt(_ start: UnsafePointer<UInt8>) -> Bool {
        guard let own = bytes.baseAddress else { return false }
        let (one, other) = (UnsafeRawPointer(own), UnsafeRawPointer(start))
        var at = 0
        while at + 8 <= bytes.count {
            guard
                one.loadUnaligned(fromByteOffset: at, as: UInt64.self)
                    == other.loadUnaligned(fromByteOffset: at, as: UInt64.self)
            else { return false }
            at += 8
        }
        while at < bytes.count {
            guard own[at] == start[at] else { return false }
            at += 1
        }
        return true
    }

    /// The whole name, without a zero at its end.
    let bytes: UnsafeBufferPointer<UInt8>
    let local: UnsafePointer<UInt8>
    let prefix: UnsafePointer<UInt8>?
    /// Its place among the names of the document.
    let number: Int
}

/// Finds names of tags and attributes by their bytes, in libxml2's own dictionary: names of one
/// document are the same pointers, whoever read their tags.
struct XMLScannedNames {
    private let dictionary: xmlDictPtr?
    // Safety: what is in them is of plain values, and they are never copied; arrays would be counted
    // with each name.
    private var found = UnsafeMutableBufferPointer<XMLScannedName>.allocate(capacity: 128)
    private var count = 0
    /// One more than a place in `found`, or 0; twice as many.
    private var slots = Self.zeroes(256)
    /// The namespaces that libxml2 has nothing to say about.
    private var namespaces: Set<UnsafePointer<UInt8>> = []
    private var references = 0
    /// Of each name, the one of the tag that began next when it was last there, and of nothing at 0:
    /// documents repeat themselves.
    private var followers = Self.zeroes(129)
    private var latest = 0

    /// The prefix `xml`, and its namespace.
    let xml: (prefix: UnsafePointer<UInt8>?, namespace: UnsafePointer<UInt8>?)
    private let xmlns: UnsafePointer<UInt8>?

    /// Longer names are left to libxml2.
    private static let longest = 256

    init(_ context: xmlParserCtxtPtr) {
        dictionary = context.pointee.dict
        xml = (
            xmlDictLookup(dictionary, "xml", 3),
            xmlDictLookup(dictionary, "http://www.w3.org/XML/1998/namespace", 36)
        )
        xmlns = xmlDictLookup(dictionary, "xmlns", 5)
    }

    private static func zeroes(_ count: Int) -> UnsafeMutableBufferPointer<Int32> {
        let slots = UnsafeMutableBufferPointer<Int32>.allocate(capacity: count)
        slots.initialize(repeating: 0)
        return slots
    }

    /// Frees the names, which nobody may look at any more.
    func free() {
        for name in found[..<count] { name.bytes.deallocate() }
        found.deallocate()
        slots.deallocate()
        followers.deallocate()
    }

    /// The name that `length` bytes at `start` are, of which `room` may be read.
    ///
    /// - Returns: Nil where libxml2 has to say whether it is one.
    mutating func name(
        _ start: UnsafePointer<UInt8>, _ length: Int, room: Int
    ) -> XMLScannedName? {
        guard length > 0, length <= Self.longest else { return nil }
        var slot = Self.hash(start, length, room: room) & (slots.count - 1)
        while slots[slot] != 0 {
            let known = found[Int(slots[slot]) - 1]
            if known.bytes.count == length, known.isAt(start) {
                return known
            }
            slot = (slot + 1) & (slots.count - 1)
        }
        guard let name = add(start, length) else { return nil }
        found.initializeElement(at: count, to: name)
        count += 1
        slots[slot] = Int32(count)
        if count == found.count { grow() }
        return name
    }

    /// The name of the tag that begins at `start`, where it is the one that followed before.
    @inline(__always)
    func guess(_ start: UnsafePointer<UInt8>, room: Int) -> XMLScannedName? {
        let place = Int(followers[latest])
        guard place > 0 else { return nil }
        let name = found[place - 1]
        return name.bytes.count < room && name.isAt(start) ? name : nil
    }

    /// Remembers the name of a tag that began.
    @inline(__always)
    mutating func begin(_ name: XMLScannedName) {
        followers[latest] = Int32(name.number)
        latest = name.number
    }

    private mutating func grow() {
        let more = UnsafeMutableBufferPointer<XMLScannedName>.allocate(capacity: 4 * count)
        _ = more.moveInitialize(fromContentsOf: found)
        found.deallocate()
        found = more
        slots.deallocate()
        slots = Self.zeroes(8 * count)
        followers.deallocate()
        followers = Self.zeroes(4 * count + 1)
        for (place, name) in found[..<count].enumerated() {
            guard let start = name.bytes.baseAddress else { continue }
            var slot =
                Self.hash(start, name.bytes.count, room: name.bytes.count) & (slots.count - 1)
            while slots[slot] != 0 { slot = (slot + 1) & (slots.count - 1) }
            slots[slot] = Int32(place + 1)
        }
    }

    /// The first eight bytes, the last eight, and the length, mixed.
    @inline(__always)
    private static func hash(_ start: UnsafePointer<UInt8>, _ length: Int, room: Int) -> Int {
        let bytes = UnsafeRawPointer(start)
        var first: UInt64 = 0
        var last: UInt64 = 0
        if length >= 8 {
            first = bytes.loadUnaligned(as: UInt64.self)
            last = bytes.loadUnaligned(fromByteOffset: length - 8, as: UInt64.self)
        } else if room >= 8 {
            first = bytes.loadUnaligned(as: UInt64.self) & (1 << UInt64(8 * length) - 1)
        } else {
            for place in 0..<length { first |= UInt64(start[place]) << UInt64(8 * place) }
        }
        let mixed =
            (first &+ last &* 0xC2B2_AE3D_27D4_EB4F &+ UInt64(length)) &* 0x9E37_79B9_7F4A_7C15
        return Int(truncatingIfNeeded: mixed >> 32)
    }

    private func add(_ start: UnsafePointer<UInt8>, _ length: Int) -> XMLScannedName? {
        let all = UnsafeBufferPointer(start: start, count: length)
        let colon = all.firstIndex(of: 0x3A)
        let from = colon.map { $0 + 1 } ?? 0
        guard
            let local = part(start + from, length - from),
            let copy = copied(all)
        else { return nil }
        guard let colon else {
            return XMLScannedName(bytes: copy, local: local, prefix: nil, number: count + 1)
        }
        guard let prefix = part(start, colon) else {
            copy.deallocate()
            return nil
        }
        return XMLScannedName(bytes: copy, local: local, prefix: prefix, number: count + 1)
    }

    private func copied(_ bytes: UnsafeBufferPointer<UInt8>) -> UnsafeBufferPointer<UInt8>? {
        let copy = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: bytes.count)
        _ = copy.initialize(from: bytes)
        return UnsafeBufferPointer(copy)
    }

    /// A name without a colon, as libxml2 keeps it.
    private func part(_ start: UnsafePointer<UInt8>, _ length: Int) -> UnsafePointer<UInt8>? {
        guard length > 0 else { return nil }
        let text: [UInt8] = Array(UnsafeBufferPointer(start: start, count: length)) + [0]
        guard xmlValidateNCName(text, 0) == 0 else { return nil }
        return xmlDictLookup(dictionary, start, Int32(length))
    }

    /// Keeps the empty namespace, as libxml2 does.
    func keepNone() { _ = xmlDictLookup(dictionary, "", 0) }

    /// The namespace that a value is, where libxml2 has nothing to say about it.
    mutating func namespace(
        _ value: UnsafeBufferPointer<UInt8>
    ) -> UnsafePointer<UInt8>? {
        guard let start = value.baseAddress, value.count > 0, value.count <= 4 * Self.longest,
            let uri = xmlDictLookup(dictionary, start, Int32(value.count))
        else { return nil }
        if namespaces.contains(uri) { return uri }
        let text = String(cString: uri)
        guard uri != xml.namespace, text != "http://www.w3.org/2000/xmlns/",
            !value.contains(0x22), let parsed = xmlParseURI(text)
        else { return nil }
        defer { xmlFreeURI(parsed) }
        guard parsed.pointee.scheme != nil else { return nil }
        namespaces.insert(uri)
        return uri
    }

    /// Whether an attribute declares the default namespace, or one with a prefix.
    func isDeclaration(_ name: XMLScannedName) -> Bool {
        name.prefix == nil ? name.local == xmlns : name.prefix == xmlns
    }

    /// Keeps the name of a predefined entity, as libxml2 does.
    mutating func keep(_ reference: XMLScannedReference) {
        guard references & 1 << reference.rawValue == 0 else { return }
        references |= 1 << reference.rawValue
        _ = xmlDictLookup(dictionary, reference.name, -1)
    }
}

/// The predefined entities.
enum XMLScannedReference: Int {
    case lt
    case gt
    case amp
    case quot
    case apos

    var name: String {
        switch self {
        case .lt: "lt"
        case .gt: "gt"
        case .amp: "amp"
        case .quot: "quot"
        case .apos: "apos"
        }
    }
}
