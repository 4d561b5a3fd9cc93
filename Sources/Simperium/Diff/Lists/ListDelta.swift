import Notation
import Wire

/// A delta over an array: each element as JSON on a separate line, and a string delta over that.
///
/// The protocol does not define how elements are written. The JavaScript and Apple clients write
/// them compactly, the Python reference with spaces and in ASCII; the form whose length the delta
/// has is the one that is used.
enum ListDelta {
    static func apply(
        _ delta: String, to list: [JSONValue], at path: JSONPath
    ) throws(DiffError) -> [JSONValue] {
        let parsed: StringDelta
        do {
            parsed = try StringDelta(parsing: delta)
        } catch {
            throw DiffError(.delta(error), at: path)
        }
        var text = lines(of: list, .compact)
        if text.utf16.count != parsed.length {
            let other = lines(of: list, .python)
            if other.utf16.count == parsed.length { text = other }
        }
        let result: String
        do {
            result = try parsed.apply(to: text)
        } catch {
            throw DiffError(.delta(error), at: path)
        }
        do {
            return try elements(of: result)
        } catch {
            throw DiffError(.notAList(error), at: path)
        }
    }

    /// The values of a text with one on each line.
    static func elements(of text: String) throws(JSONError) -> [JSONValue] {
        var elements: [JSONValue] = []
        for line in text.utf8.split(separator: 0x0A) {
            elements.append(JSONValue(try JSONDocument.scan(Array(line)).root))
        }
        return elements
    }

    /// The line of one element, in the writing that is sent.
    static func line(of element: JSONValue) -> String { element.text() + "\n" }

    static func lines(of list: [JSONValue], _ style: JSONValue.Style) -> String {
        var bytes: [UInt8] = []
        for element in list {
            bytes.append(contentsOf: element.bytes(style))
            bytes.append(0x0A)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
