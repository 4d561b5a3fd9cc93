internal import OpenRosa

/// Reads the identifiers of the groups of the fixture `user-groups`.
///
/// Source: `getGroups` of commcare-android; reference/commcare-in-practice.md, 2.2.
final class GroupReader: XMLEventHandler {
    private var ids: [String] = []

    /// - Parameters:
    ///   - path: The restore.
    ///   - bytes: Where in it the fixture is.
    /// - Returns: Identifiers, in order; nil where they cannot be read.
    static func read(_ path: String, _ bytes: Range<Int64>) -> [String]? {
        let reader = GroupReader()
        let stream = XMLStream(handler: reader)
        var offset: Int64 = 0
        do throws(XMLError) {
            var broken: XMLError?
            let isRead = LocalFile.read(path) { piece in
                let range = (offset..<offset + Int64(piece.count)).clamped(to: bytes)
                let first = Int(range.lowerBound - offset)
                let part = Array(piece[first..<first + range.count])
                offset += Int64(piece.count)
                do throws(XMLError) {
                    try stream.feed(part.span)
                    return offset < bytes.upperBound
                } catch {
                    broken = error
                    return false
                }
            }
            if let broken { throw broken }
            guard isRead else { return nil }
            try stream.finish()
        } catch { return nil }
        return reader.ids
    }

    func start(_ tag: borrowing XMLTag) {
        guard tag.depth == 3, tag.name.local == "group" else { return }
        for index in 0..<tag.count where tag.name(at: index).local == "id" {
            ids.append(tag.value(at: index))
        }
    }

    func end(_ tag: borrowing XMLTag) {}

    func text(_ bytes: borrowing Span<UInt8>) {}
}
