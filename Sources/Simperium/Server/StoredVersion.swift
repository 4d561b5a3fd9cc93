internal import Notation
internal import Wire

/// One version of an object as a server keeps it.
///
/// As text, because trees of values take several times the memory: an object of 300 bytes with eight
/// members is about 1,000 bytes as a tree, and the operations that made it are as much again.
struct StoredVersion: Hashable, Sendable {
    /// The version, from 1.
    let number: Int64
    /// The object as JSON, always a JSON object.
    let text: [UInt8]
    /// The map of operations that made it of the version before, as JSON; nil where that is
    /// unknown.
    private(set) var changeText: [UInt8]?

    /// A version.
    ///
    /// - Parameters:
    ///   - number: The version.
    ///   - text: The object as ``JSONValue/bytes(_:)`` writes it.
    ///   - change: What made it of the version before.
    init(number: Int64, text: [UInt8], change: JSONValue?) {
        self.number = number
        self.text = Self.fitted(text)
        changeText = change.map { Self.fitted($0.bytes()) }
    }

    /// The object.
    var data: JSONValue { Self.value(text) }
    /// The operations that made it of the version before; nil where that is unknown.
    var change: JSONValue? { changeText.map(Self.value) }
    /// Bytes of the object as JSON.
    var weight: Int { text.count }

    /// The same without what made it, where no version before it is kept.
    var first: StoredVersion {
        var version = self
        version.changeText = nil
        return version
    }

    /// The same bytes without the room that an array has that grew.
    private static func fitted(_ text: [UInt8]) -> [UInt8] {
        var fitted: [UInt8] = []
        fitted.reserveCapacity(text.count)
        fitted.append(contentsOf: text)
        return fitted
    }

    private static func value(_ text: [UInt8]) -> JSONValue {
        // Written from a value that was within the limits.
        (try? JSONDocument.scan(text)).map { JSONValue($0.root) } ?? .object(JSONObject())
    }
}
