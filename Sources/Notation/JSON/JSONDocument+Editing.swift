extension JSONDocument {
    /// Why a text cannot be changed at a place.
    public enum EditError: Error, Hashable, Sendable {
        /// Nothing is at the place, or before it.
        case missing(JSONPointer)
        /// The whole cannot be removed.
        case root
    }

    /// The text with `value` at a place, and every other byte as it was.
    ///
    /// A member that is not there is added behind the others, an element behind the last. Of members
    /// with the same name the last is the one, as for those who read it.
    ///
    /// - Parameters:
    ///   - pointer: The place.
    ///   - value: What is to be there, a JSON text.
    /// - Returns: The text, with what surrounded it in ``bytes``.
    /// - Throws: ``EditError`` where what would contain it is not there.
    public func setting(
        _ pointer: JSONPointer, to value: [UInt8]
    ) throws(EditError) -> [UInt8] {
        guard let name = pointer.names.last else { return replacing(root.range, by: value) }
        let parent = try parent(of: pointer)
        switch parent.kind {
        case .object:
            if let known = parent[name] { return replacing(known.range, by: value) }
            let key = Array(JSONString.quoted(name).utf8)
            return adding(key + [UInt8(ascii: ":")] + value, to: parent)
        case .array:
            let elements = Array(parent.elements)
            let place = name == "-" ? elements.count : Self.number(name)
            guard let place, place <= elements.count else { throw .missing(pointer) }
            guard place < elements.count else { return adding(value, to: parent) }
            return replacing(elements[place].range, by: value)
        default: throw .missing(pointer)
        }
    }

    /// The text without what is at a place, and every other byte as it was.
    ///
    /// All members of the name are removed.
    ///
    /// - Throws: ``EditError`` where nothing is there.
    public func removing(_ pointer: JSONPointer) throws(EditError) -> [UInt8] {
        guard let name = pointer.names.last else { throw .root }
        let parent = try parent(of: pointer)
        var ranges: [Range<Int>] = []
        var removed: Set<Int> = []
        switch parent.kind {
        case .object:
            for (place, member) in parent.members.enumerated() {
                if member.key.spells(name) { removed.insert(place) }
                ranges.append(member.key.range.lowerBound..<member.value.range.upperBound)
            }
        case .array:
            ranges = parent.elements.map(\.range)
            if let place = Self.number(name), place < ranges.count { removed = [place] }
        default: break
        }
        guard !removed.isEmpty else { throw .missing(pointer) }
        var result = Array(bytes[..<parent.range.lowerBound])
        var isFirst = true
        var end = parent.range.lowerBound + 1
        result.append(bytes[parent.range.lowerBound])
        for (place, range) in ranges.enumerated() where !removed.contains(place) {
            // What stands before the first of them stays before the first that is left.
            let gap =
                isFirst
                ? end..<ranges[0].lowerBound : ranges[place - 1].upperBound..<range.lowerBound
            result += bytes[gap] + bytes[range]
            isFirst = false
            end = range.upperBound
        }
        let last = ranges.last?.upperBound ?? end
        return result + bytes[last...]
    }

    private func parent(of pointer: JSONPointer) throws(EditError) -> Node {
        var node = root
        for name in pointer.names.dropLast() {
            let next: Node? =
                switch node.kind {
                case .object: node[name]
                case .array: Self.number(name).flatMap { Array(node.elements)[safe: $0] }
                default: nil
                }
            guard let next else { throw .missing(pointer) }
            node = next
        }
        return node
    }

    private func replacing(_ range: Range<Int>, by value: [UInt8]) -> [UInt8] {
        bytes[..<range.lowerBound] + value + bytes[range.upperBound...]
    }

    private func adding(_ item: [UInt8], to parent: Node) -> [UInt8] {
        let last =
            parent.kind == .object
            ? Array(parent.members).last?.value.range.upperBound
            : Array(parent.elements).last?.range.upperBound
        guard let last else {
            let inside = parent.range.lowerBound + 1
            return replacing(inside..<inside, by: item)
        }
        return replacing(last..<last, by: [UInt8(ascii: ",")] + item)
    }

    /// The number of an element: decimal digits without leading zeros.
    private static func number(_ name: String) -> Int? {
        guard name.utf8.allSatisfy({ (0x30...0x39).contains($0) }),
            name.utf8.count == 1 || name.utf8.first != UInt8(ascii: "0")
        else { return nil }
        return Int(name)
    }
}

extension Array {
    fileprivate subscript(safe index: Int) -> Element? {
        indices.contains(index) ? self[index] : nil
    }
}
