internal import Foundation
internal import Framing
internal import Notation
internal import Trace

/// The JSON of an HTTP archive as it is written, passed on in pieces so that memory does not grow.
///
/// A reference, since parts of an entry are written by several.
final class HARText {
    /// Bytes that are written at a time.
    private static let enough = 1 << 16

    private let file: FileWriter
    private var bytes: [UInt8] = []
    /// Bytes of base64 that wait for the rest of their group of three.
    private var group: [UInt8] = []

    init(_ file: FileWriter) { self.file = file }

    /// Writes what waits, if there is enough of it or `isLast`.
    func flush(isLast: Bool = false) throws(FileError) {
        guard isLast || bytes.count >= Self.enough else { return }
        try file.write(bytes)
        bytes.removeAll(keepingCapacity: true)
    }

    /// Text as it is.
    func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }

    /// A comma where one is needed, the name of a member and its colon.
    func name(_ name: String) { JSONWriting.name(name, to: &bytes) }

    /// A member whose value is a string.
    func member(_ name: String, _ value: String) {
        self.name(name)
        JSONWriting.string(value.utf8, to: &bytes)
    }

    /// A member whose value is a whole number.
    func member(_ name: String, _ value: Int64) {
        self.name(name)
        JSONWriting.number(value, to: &bytes)
    }

    /// A member whose value is a time in milliseconds, given in nanoseconds.
    func member(_ name: String, nanoseconds: Int64) {
        member(name, json: HARNumber.text(nanoseconds, places: 6))
    }

    /// A member whose value is JSON already.
    func member(_ name: String, json: String) {
        self.name(name)
        raw(json)
    }

    /// A member whose value is an object with the members that `body` writes.
    func object(_ name: String, _ body: () throws -> Void) rethrows {
        self.name(name)
        try object(body)
    }

    /// An object with the members that `body` writes.
    func object(_ body: () throws -> Void) rethrows {
        bytes.append(0x7B)
        try body()
        bytes.append(0x7D)
    }

    /// A member whose value is an array of what `body` writes of each of `values`.
    func array<Values: Sequence>(
        _ name: String, _ values: Values, _ body: (Values.Element) throws -> Void
    ) rethrows {
        self.name(name)
        bytes.append(0x5B)
        var isFirst = true
        for value in values {
            if !isFirst { bytes.append(0x2C) }
            isFirst = false
            try body(value)
        }
        bytes.append(0x5D)
    }

    // MARK: Long strings

    /// The quotation mark around a string that comes in pieces.
    func quote() { bytes.append(0x22) }

    /// A piece of a string, whose bytes are UTF-8 together with the pieces around.
    func text(_ piece: ArraySlice<UInt8>) throws(FileError) {
        var quoted: [UInt8] = []
        quoted.reserveCapacity(piece.count + 2)
        JSONWriting.string(piece, to: &quoted)
        bytes.append(contentsOf: quoted.dropFirst().dropLast())
        try flush()
    }

    /// A piece of a string that has a character for each byte.
    func latin1(_ piece: ArraySlice<UInt8>) throws(FileError) {
        var characters: [UInt8] = []
        characters.reserveCapacity(piece.count + piece.count / 2)
        for byte in piece {
            if byte < 0x80 {
                characters.append(byte)
            } else {
                characters.append(0xC0 | byte >> 6)
                characters.append(0x80 | byte & 0x3F)
            }
        }
        try text(characters[...])
    }

    /// A piece of bytes that are written in base64.
    func base64(_ piece: ArraySlice<UInt8>) throws(FileError) {
        group.append(contentsOf: piece)
        let whole = group.count - group.count % 3
        Base64.encode(group[..<whole], to: &bytes)
        group.removeFirst(whole)
        try flush()
    }

    /// The end of bytes that are written in base64.
    func endBase64() {
        Base64.encode(group, to: &bytes)
        group = []
    }
}
