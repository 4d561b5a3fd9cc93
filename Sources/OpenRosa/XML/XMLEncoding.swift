/// How the characters of a document became bytes.
///
/// Named by the byte order mark, else by the pattern of the first bytes, else by the XML
/// declaration, else UTF-8 (XML 1.0, appendix F). The encodings are those that libxml2 has built
/// in, and windows-1252.
enum XMLEncoding: Hashable, Sendable {
    case utf8
    case utf16(isBigEndian: Bool)
    case ascii
    case latin1
    case windows1252

    /// Bytes that a scalar takes whose UTF-8 form begins with `lead`.
    func width(ofLead lead: UInt8) -> Int64 {
        switch self {
        case .utf8: lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4
        case .utf16: lead < 0xF0 ? 2 : 4
        case .ascii, .latin1, .windows1252: 1
        }
    }

    /// The encoding that the first bytes of a document indicate.
    enum Detection: Hashable, Sendable {
        /// The encoding, and the length of the byte order mark in bytes.
        case known(XMLEncoding, mark: Int)
        /// A name that means nothing here, and its offset in bytes.
        case unknown(String, offset: Int)
        /// Longer `head` needed.
        case undecided
    }

    /// Longest XML declaration that is inspected, in bytes.
    static let longestDeclaration = 1024

    /// Reads the encoding off the first bytes.
    ///
    /// - Parameters:
    ///   - head: The document from its first byte.
    ///   - isWhole: Whether nothing follows `head`.
    /// - Returns: The encoding; `undecided` only where `isWhole` is false.
    static func detect(_ head: [UInt8], isWhole: Bool) -> Detection {
        func begins(_ bytes: [UInt8]) -> Bool { head.starts(with: bytes) }
        let more: Detection? = isWhole || head.count >= 4 ? nil : .undecided
        if begins([0xEF, 0xBB, 0xBF]) { return .known(.utf8, mark: 3) }
        if begins([0xFF, 0xFE]) || begins([0, 0]) {
            if let more { return more }
            if begins([0xFF, 0xFE, 0, 0]) || begins([0, 0]) {
                return .unknown("UTF-32", offset: 0)
            }
            return .known(.utf16(isBigEndian: false), mark: 2)
        }
        if begins([0xFE, 0xFF]) { return .known(.utf16(isBigEndian: true), mark: 2) }
        if begins([0, 0x3C]) { return .known(.utf16(isBigEndian: true), mark: 0) }
        if begins([0x3C, 0]) {
            if let more { return more }
            return begins([0x3C, 0, 0, 0])
                ? .unknown("UTF-32", offset: 0) : .known(.utf16(isBigEndian: false), mark: 0)
        }
        let opening = Array("<?xml".utf8)
        if !isWhole, head.count < opening.count,
            opening.starts(with: head)
                || [[0xEF], [0xEF, 0xBB], [0xFF], [0xFE], [0], []].contains(head)
        {
            return .undecided
        }
        guard head.starts(with: opening) else { return .known(.utf8, mark: 0) }
        guard let end = head.firstIndex(of: 0x3E) else {
            return isWhole || head.count >= longestDeclaration
                ? .known(.utf8, mark: 0) : .undecided
        }
        return declared(head[..<end])
    }

    private static func declared(_ declaration: ArraySlice<UInt8>) -> Detection {
        let word = Array("encoding".utf8)
        var at = declaration.startIndex
        while at + word.count <= declaration.endIndex {
            guard declaration[at...].starts(with: word) else {
                at += 1
                continue
            }
            let rest = declaration[(at + word.count)...]
            guard let open = rest.firstIndex(where: { $0 == 0x22 || $0 == 0x27 }),
                let close = declaration[(open + 1)...].firstIndex(of: declaration[open])
            else { break }
            let name = String(decoding: declaration[(open + 1)..<close], as: UTF8.self)
            return named(name).map { .known($0, mark: 0) } ?? .unknown(name, offset: open + 1)
        }
        return .known(.utf8, mark: 0)
    }

    private static func named(_ name: String) -> XMLEncoding? {
        switch name.lowercased() {
        case "utf-8", "utf8": .utf8
        case "us-ascii", "ascii": .ascii
        case "iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "iso-latin-1": .latin1
        case "windows-1252", "cp1252": .windows1252
        default: nil
        }
    }
}
