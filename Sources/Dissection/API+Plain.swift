extension API {
    /// The name of a request to no known endpoint.
    package static let plain = "http"

    /// Whether ``name(method:host:path:query:isUpgrade:)`` is sure to be ``plain`` for a request
    /// that is neither `CONNECT` nor requests an upgrade.
    ///
    /// Makes no text: it looks for the segments that identify the known endpoints, whatever the
    /// method and the host are.
    ///
    /// - Parameters:
    ///   - path: The path as sent, in ASCII.
    ///   - query: The query without the question mark.
    /// - Returns: False where it may be something else.
    package static func isPlain(
        path: UnsafeRawBufferPointer, query: UnsafeRawBufferPointer?
    ) -> Bool {
        var start = 0
        var isFirst = true
        while start < path.count {
            var end = start
            while end < path.count, path[end] != 0x2F { end += 1 }
            if end > start || start > 0 {
                let segment = UnsafeRawBufferPointer(rebasing: path[start..<end])
                if mayTell(segment, isFirst: isFirst) { return false }
                isFirst = false
            }
            start = end + 1
        }
        // The key server is identified by its query alone.
        return query.map { !contains($0, "last_issued") } ?? true
    }

    /// Whether an endpoint is identified by such a segment.
    private static func mayTell(_ segment: UnsafeRawBufferPointer, isFirst: Bool) -> Bool {
        let count = segment.count
        if count >= 4, segment[count - 1] == 0x6C,
            isEqual(UnsafeRawBufferPointer(rebasing: segment[(count - 4)...]), ".xml")
        {
            return true
        }
        return switch count {
        case 1: isFirst && segment[0] == 0x31
        case 4: isEqual(segment, "sock")
        case 5: isEqual(segment, "phone") || isEqual(segment, "xform")
        case 7: isEqual(segment, "formXml")
        case 8:
            isEqual(segment, "receiver") || isEqual(segment, "formList")
                || isEqual(segment, "manifest")
        case 10: isEqual(segment, "submission")
        case 14: isEqual(segment, "xformsManifest")
        default: false
        }
    }

    /// Whether the bytes, of which there are as many, are those of `word`.
    private static func isEqual(_ bytes: UnsafeRawBufferPointer, _ word: StaticString) -> Bool {
        for index in 0..<word.utf8CodeUnitCount where bytes[index] != word.utf8Start[index] {
            return false
        }
        return true
    }

    private static func contains(_ bytes: UnsafeRawBufferPointer, _ word: StaticString) -> Bool {
        let count = word.utf8CodeUnitCount
        guard bytes.count >= count else { return false }
        for start in 0...(bytes.count - count)
        where isEqual(UnsafeRawBufferPointer(rebasing: bytes[start..<start + count]), word) {
            return true
        }
        return false
    }
}
