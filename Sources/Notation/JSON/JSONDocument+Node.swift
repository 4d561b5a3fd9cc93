extension JSONDocument {
    /// One value of a document, or one key.
    public struct Node: Sendable {
        let storage: Storage
        let index: Int

        private var token: JSONToken { storage.tape[index] }

        /// What it is.
        public var kind: JSONKind { token.kind }

        /// Its bytes in ``JSONDocument/bytes``, with quotes and brackets, without space around.
        public var range: Range<Int> {
            let token = token
            return Int(token.start)..<Int(token.end)
        }

        /// Its bytes as written in the document.
        public var text: String { String(decoding: storage.bytes[range], as: UTF8.self) }

        /// Whether it is `null`.
        public var isNull: Bool { kind == .null }

        /// The value of `true` or `false`; nil for anything else.
        public var bool: Bool? {
            switch kind {
            case .true: true
            case .false: false
            default: nil
            }
        }

        /// The text of a number; nil for anything else.
        public var number: String? { kind == .number ? text : nil }

        /// The value of a number without fraction and exponent that fits; nil for anything else.
        public var int: Int64? {
            let token = token
            guard token.kind == .number, token.flags & JSONToken.fractional == 0 else { return nil }
            var place = Int(token.start)
            let isNegative = storage.bytes[place] == 0x2D
            if isNegative { place += 1 }
            var value: Int64 = 0
            while place < Int(token.end) {
                let digit = Int64(storage.bytes[place]) - 0x30
                let (tens, overflow) = value.multipliedReportingOverflow(by: 10)
                // Built up downwards, since the least number has no positive counterpart.
                let (sum, carry) = tens.subtractingReportingOverflow(digit)
                guard !overflow, !carry else { return nil }
                value = sum
                place += 1
            }
            guard !isNegative else { return value }
            return value == .min ? nil : -value
        }

        /// The decoded text of a string; nil for anything else.
        ///
        /// A lone surrogate comes as U+FFFD, which leaves the length in UTF-16 as it was; see
        /// ``hasLoneSurrogate`` and ``utf16``.
        public var string: String? {
            let token = token
            guard token.kind == .string else { return nil }
            let content = Int(token.start) + 1..<Int(token.end) - 1
            guard token.flags & JSONToken.escaped != 0 else {
                return String(decoding: storage.bytes[content], as: UTF8.self)
            }
            guard token.flags & JSONToken.loneSurrogate == 0 else {
                return String(decoding: JSONString.units(storage.bytes, content), as: UTF16.self)
            }
            return JSONString.decode(storage.bytes, content)
        }

        /// The code units of a string, lone surrogates as they are; nil for anything else.
        public var utf16: [UInt16]? {
            guard kind == .string else { return nil }
            return JSONString.units(storage.bytes, range.lowerBound + 1..<range.upperBound - 1)
        }

        /// Whether a string has a surrogate escape without its other half.
        public var hasLoneSurrogate: Bool {
            kind == .string && token.flags & JSONToken.loneSurrogate != 0
        }

        /// The members of an object in their order, duplicates included; none for anything else.
        public var members: Members { Members(children: children(of: .object)) }

        /// The elements of an array in their order; none for anything else.
        public var elements: Elements { Elements(children: children(of: .array)) }

        /// The value of the last member with this key, as JavaScript and Python have it.
        ///
        /// Keys are compared by code units, so that no two spellings are taken for one.
        public subscript(key: String) -> Node? {
            var found: Node?
            for member in members where member.key.spells(key) { found = member.value }
            return found
        }

        /// The values of all members with this key, in their order.
        public func all(_ key: String) -> [Node] {
            members.lazy.filter { $0.key.spells(key) }.map(\.value)
        }

        /// Whether it is a string with exactly this text.
        public func spells(_ text: String) -> Bool {
            let token = token
            guard token.kind == .string else { return false }
            if token.flags & JSONToken.escaped == 0 {
                let content = Int(token.start) + 1..<Int(token.end) - 1
                guard content.count == text.utf8.count else { return false }
                return storage.bytes[content].elementsEqual(text.utf8)
            }
            return !hasLoneSurrogate && string.map { $0.utf8.elementsEqual(text.utf8) } ?? false
        }

        /// The place of the first member of an object; nil where there is none.
        package var firstMember: Places? {
            let token = token
            guard token.kind == .object, index + 1 < Int(token.next) else { return nil }
            return Places(key: index + 1, end: Int(token.next))
        }

        /// The member after one of this object; nil after the last.
        package func member(after places: Places) -> Places? {
            let next = Int(storage.tape[places.key + 1].next)
            return next < places.end ? Places(key: next, end: places.end) : nil
        }

        /// The bytes of the node at a place of this document.
        package func range(at place: Int) -> Range<Int> {
            let token = storage.tape[place]
            return Int(token.start)..<Int(token.end)
        }

        /// The node at a place of this document.
        package func node(at place: Int) -> Node { Node(storage: storage, index: place) }

        private func children(of kind: JSONKind) -> Children {
            let token = token
            return Children(
                storage: storage, index: index + 1,
                end: token.kind == kind ? Int(token.next) : index + 1)
        }
    }

    /// The members of an object by their places, for who reads many: a node holds its document, and
    /// letting go of it for each member takes longer than reading a short key.
    package struct Places {
        /// The place of a key; its value has the next.
        package fileprivate(set) var key: Int
        fileprivate let end: Int
    }

    /// What a container holds, one node after the other.
    struct Children: Sendable {
        let storage: Storage
        var index: Int
        let end: Int

        mutating func next() -> Node? {
            guard index < end else { return nil }
            defer { index = Int(storage.tape[index].next) }
            return Node(storage: storage, index: index)
        }
    }

    /// A key and its value.
    public struct Member: Sendable {
        let storage: Storage
        let index: Int

        /// The key, a string.
        public var key: Node { Node(storage: storage, index: index) }

        /// The value.
        public var value: Node { Node(storage: storage, index: index + 1) }
    }

    /// The members of an object, in their order.
    public struct Members: Sequence, IteratorProtocol, Sendable {
        var children: Children

        /// The next member.
        public mutating func next() -> Member? {
            // A key takes one token, and its value follows.
            let index = children.index
            guard index + 1 < children.end else { return nil }
            children.index = Int(children.storage.tape[index + 1].next)
            return Member(storage: children.storage, index: index)
        }
    }

    /// The elements of an array, in their order.
    public struct Elements: Sequence, IteratorProtocol, Sendable {
        var children: Children

        /// The next element.
        public mutating func next() -> Node? { children.next() }
    }
}
