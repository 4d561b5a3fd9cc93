public import Notation
internal import Wire

extension ServerBucket {
    /// The change version as an index states it; see ``BucketOptions/emptyCurrent``.
    public var current: String? {
        guard !wasUsed else { return cv }
        switch options.emptyCurrent {
        case .changeVersion: return cv
        case .missing: return nil
        case .empty: return ""
        }
    }

    /// The answer to `i`: a page of the index, in the order in which the objects were created.
    ///
    /// Marks name a place in that order, so that nothing that exists during the whole of a walk is
    /// listed twice or left out, whatever changes meanwhile: what is created is at the end, what is
    /// removed is left out, and ``current`` moves on from page to page.
    ///
    /// - Returns: Nil where the mark is none of this bucket's.
    public func page(_ request: IndexRequest) -> IndexPage<JSONValue>? {
        var start: Int64 = 0
        let offset = options.readsOffsets ? request.offset : nil
        let third = request.third.isEmpty ? nil : request.third
        if let mark = offset == nil ? request.mark : third {
            guard let place = place(of: mark) else { return nil }
            start = place + 1
        }
        var limit = options.usualPage
        if let asked = request.limit, asked > 0 { limit = asked }
        limit = max(min(limit, options.largestPage), 1)
        var page = IndexPage<JSONValue>(current: current)
        var size = 0
        var last: Int64 = 0
        for (place, key) in order.keys(from: start).dropFirst(offset ?? 0) {
            guard let head = objects[key]?.head else { continue }
            if request.wantsData { size += head.weight }
            if page.entries.count == limit || (size > options.pageBytes && !page.entries.isEmpty) {
                page.mark = mark(after: last)
                break
            }
            page.entries.append(
                IndexPage<JSONValue>.Entry(
                    key: key.string, version: head.number,
                    data: request.wantsData ? head.data : nil))
            last = place
        }
        return page
    }

    /// All objects, in the order of the index, and then those that were removed.
    ///
    /// What ``init(name:options:versions:objects:cv:log:logStart:)`` takes.
    public var contents: [ServerObject] {
        var result: [ServerObject] = []
        for (_, key) in order.keys(from: 0) {
            if let object = objects[key] { result.append(ServerObject(key.string, object)) }
        }
        let removed = objects.filter(\.value.isRemoved)
            .map { ServerObject($0.key.string, $0.value) }
        return result + removed.sorted { $0.key < $1.key }
    }

    /// The mark of the page after an object; nil where the object does not exist.
    public func mark(after key: String) -> String? {
        objects[ExactText(key)]?.place.map(mark(after:))
    }

    /// The mark of the page after a place: 24 characters, never all digits.
    ///
    /// Bound to the change versions of this bucket, so that a mark of another bucket is refused.
    private func mark(after place: Int64) -> String {
        "f" + Hexadecimal.text(place, digits: 13) + Hexadecimal.text(versions.tag, digits: 10)
    }

    /// The place that a mark names; nil where it is not one of this bucket.
    private func place(of mark: String) -> Int64? {
        guard mark.utf8.count == 24, mark.utf8.first == 0x66,
            let place = Int64(mark.dropFirst().prefix(13), radix: 16), place >= 0,
            place < order.next, mark == self.mark(after: place)
        else { return nil }
        return place
    }
}
