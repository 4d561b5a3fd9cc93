import CLibXML2

/// Tags, sections, comments and instructions, each of them whole.
extension XMLScanner {
    func markup(
        _ base: Bytes, _ start: Int, _ count: Int, isStart: Bool, _ stream: XMLStream
    ) -> Step {
        guard start + 1 < count else { return .unfinished }
        opening = start
        let lines = line
        let step =
            switch base[start + 1] {
            case 0x2F: endTag(base, start, count, stream)
            case 0x21: bang(base, start, count, stream)
            case 0x3F:
                isStart && begins(base, start, count, "<?xml ")
                    ? declaration(base, count) : instruction(base, start, count, stream)
            default: startTag(base, start, count, stream)
            }
        guard case .read = step else {
            // It is read again.
            line = lines
            return step
        }
        return step
    }

    // MARK: Tags

    private func endTag(
        _ base: Bytes, _ start: Int, _ count: Int, _ stream: XMLStream
    ) -> Step {
        guard depth > 0 else { return .doubtful }
        let element = elements[depth - 1]
        var at = start + 2 + element.name.bytes.count
        guard at < count else { return .unfinished }
        guard element.name.isAt(base + start + 2) else { return .doubtful }
        while at < count, isSpace(base[at]) {
            if base[at] == 0x0A { line += 1 }
            at += 1
        }
        guard at < count else { return .unfinished }
        guard base[at] == 0x3E, isShort(start, at + 1) else { return .doubtful }
        end(element, stream)
        return .read(at + 1)
    }

    private func end(_ element: Element, _ stream: XMLStream) {
        stream.ends(
            element.name.local, element.name.prefix, element.namespace, declared: element.declared)
        depth -= 1
        scope -= element.declared
    }

    func isShort(_ start: Int, _ end: Int) -> Bool {
        closing = end
        return end - start <= limits.markup
    }

    private func startTag(
        _ base: Bytes, _ start: Int, _ count: Int, _ stream: XMLStream
    ) -> Step {
        guard !isComplete else { return .doubtful }
        let declared = scope
        let step = wholeStartTag(base, start, count, stream)
        if case .read = step { return step }
        scope = declared
        return step
    }

    private func wholeStartTag(
        _ base: Bytes, _ start: Int, _ count: Int, _ stream: XMLStream
    ) -> Step {
        let first = line
        let outer = scope
        guard let (name, afterName) = tagName(base, start + 1, count) else { return .unfinished }
        guard let name else { return .doubtful }
        var at = afterName
        var found = 0
        var declared = 0
        scratched = 0
        while true {
            let blank = at
            while at < count, isSpace(base[at]) {
                if base[at] == 0x0A { line += 1 }
                at += 1
            }
            guard at < count else { return .unfinished }
            if base[at] == 0x3E || base[at] == 0x2F { break }
            guard at > blank, found + declared < min(Self.mostAttributes, limits.attributes)
            else { return .doubtful }
            switch attribute(base, at, count, found) {
            case .attribute(let end): (at, found) = (end, found + 1)
            case .declaration(let end): (at, declared) = (end, declared + 1)
            case .none(let step): return step
            }
        }
        let isEmpty = base[at] == 0x2F
        if isEmpty {
            at += 1
            guard at < count else { return .unfinished }
            guard base[at] == 0x3E else { return .doubtful }
        }
        guard isShort(start, at + 1), areDistinct(declaredFrom: outer), resolve(found) else {
            return .doubtful
        }
        var namespace: UnsafePointer<UInt8>?
        guard find(name.prefix, &namespace) else { return .doubtful }
        hasRoot = true
        names.begin(name)
        let element = Element(name: name, namespace: namespace, declared: declared, line: first)
        push(element)
        stream.starts(
            name.local, name.prefix, namespace, declared: declared, count: found, attributes)
        if isEmpty { end(element, stream) }
        return .read(at + 1)
    }

    /// The name of a tag at `start`, as ``name(_:_:_:)`` gives it.
    @inline(__always)
    private func tagName(
        _ base: Bytes, _ start: Int, _ count: Int
    ) -> (XMLScannedName?, Int)? {
        if let guess = names.guess(base + start, room: count - start) {
            let end = start + guess.bytes.count
            if classes.kinds[Int(base[end])] & XMLByteClasses.isName == 0 { return (guess, end) }
        }
        return name(base, start, count)
    }

    /// The name at `start`, and the place after it; nil where that is not known yet.
    @inline(__always)
    private func name(_ base: Bytes, _ start: Int, _ count: Int) -> (XMLScannedName?, Int)? {
        let kinds = classes.kinds
        var at = start
        while at < count, kinds[Int(base[at])] & XMLByteClasses.isName != 0 { at += 1 }
        guard at < count else { return nil }
        return (names.name(base + start, at - start, room: count - start), at)
    }

    private enum Attribute {
        case attribute(Int)
        case declaration(Int)
        case none(Step)
    }

    private func attribute(_ base: Bytes, _ start: Int, _ count: Int, _ place: Int) -> Attribute {
        guard let (name, afterName) = name(base, start, count) else { return .none(.unfinished) }
        guard let name else { return .none(.doubtful) }
        var at = afterName
        // White space around the sign is rare.
        guard at + 1 < count else { return .none(.unfinished) }
        guard base[at] == 0x3D, base[at + 1] == 0x22 || base[at + 1] == 0x27 else {
            return .none(.doubtful)
        }
        at += 2
        let kinds = classes.kinds
        let quote = base[at - 1]
        let from = at
        while true {
            while at < count, kinds[Int(base[at])] & XMLByteClasses.stopsValue == 0 { at += 1 }
            guard at < count else { return .none(.unfinished) }
            let byte = base[at]
            if byte == quote { break }
            switch byte {
            case 0x22, 0x27: at += 1
            case 0xEF where !isNoncharacter(base, at, count): at += 1
            case 0x26, 0x09, 0x0A, 0x0D:
                guard !names.isDeclaration(name) else { return .none(.doubtful) }
                return expanded(base, from, at, count, quote, name, place)
            default: return .none(.doubtful)
            }
        }
        let value = UnsafeBufferPointer(start: base + from, count: at - from)
        if names.isDeclaration(name) {
            return declare(name, value) ? .declaration(at + 1) : .none(.doubtful)
        }
        put(name, base + from, base + at, place)
        return .attribute(at + 1)
    }

    private func put(_ name: XMLScannedName, _ from: Bytes, _ to: Bytes, _ place: Int) {
        attributes[5 * place] = name.local
        attributes[5 * place + 1] = name.prefix
        attributes[5 * place + 2] = nil
        attributes[5 * place + 3] = from
        attributes[5 * place + 4] = to
    }

    /// A value with references or white space other than spaces, from where the first is.
    ///
    /// It is never longer than what the document has, so that it fits.
    private func expanded(
        _ base: Bytes, _ from: Int, _ special: Int, _ count: Int, _ quote: UInt8,
        _ name: XMLScannedName, _ place: Int
    ) -> Attribute {
        guard let scratch = scratch.baseAddress else { return .none(.doubtful) }
        let begin = scratched
        (scratch + begin).initialize(from: base + from, count: special - from)
        var end = begin + special - from
        var at = special
        var text: [UInt8] = []
        while true {
            guard at < count else { return .none(.unfinished) }
            let byte = base[at]
            if byte == quote { break }
            switch byte {
            case 0x26:
                text.removeAll(keepingCapacity: true)
                let step = expand(base, at, count, into: &text)
                guard case .read(let after) = step else { return .none(step) }
                at = after
                // libxml2 leaves each ampersand so.
                if text == [0x26] { text = Array("&#38;".utf8) }
                for byte in text {
                    scratch[end] = byte
                    end += 1
                }
                continue
            case 0x0D:
                guard at + 1 < count else { return .none(.unfinished) }
                if base[at + 1] == 0x0A { at += 1 }
                if base[at] == 0x0A { line += 1 }
                scratch[end] = 0x20
            case 0x0A:
                line += 1
                scratch[end] = 0x20
            case 0x09: scratch[end] = 0x20
            case ..<0x20, 0x3C: return .none(.doubtful)
            case 0xEF where isNoncharacter(base, at, count): return .none(.doubtful)
            default: scratch[end] = byte
            }
            (at, end) = (at + 1, end + 1)
        }
        scratched = end
        put(name, scratch + begin, scratch + end, place)
        return .attribute(at + 1)
    }

    // MARK: Namespaces

    private func declare(
        _ name: XMLScannedName, _ value: UnsafeBufferPointer<UInt8>
    ) -> Bool {
        let prefix = name.prefix == nil ? nil : name.local
        if value.isEmpty, prefix == nil {
            names.keepNone()
            declare(Namespace(prefix: nil, uri: nil))
            return true
        }
        guard prefix != names.xml.prefix || prefix == nil, let uri = names.namespace(value) else {
            return false
        }
        declare(Namespace(prefix: prefix, uri: uri))
        return true
    }

    /// Whether no prefix is declared twice in one tag.
    private func areDistinct(declaredFrom start: Int) -> Bool {
        guard scope - start > 1 else { return true }
        for place in start..<scope {
            for other in start..<place
            where namespaces[place].prefix == namespaces[other].prefix { return false }
        }
        return true
    }

    /// The namespace of a prefix, or of names without one.
    ///
    /// - Returns: Whether it is declared, as it need not be where there is none.
    private func find(
        _ prefix: UnsafePointer<UInt8>?, _ namespace: inout UnsafePointer<UInt8>?
    ) -> Bool {
        var place = scope
        while place > 0 {
            place -= 1
            if namespaces[place].prefix == prefix {
                namespace = namespaces[place].uri
                return true
            }
        }
        if prefix != nil, prefix == names.xml.prefix {
            namespace = names.xml.namespace
            return true
        }
        return prefix == nil
    }

    /// Gives attributes their namespaces; false where one has none, or one is there twice.
    private func resolve(_ count: Int) -> Bool {
        for place in 0..<count {
            if let prefix = attributes[5 * place + 1] {
                var namespace: UnsafePointer<UInt8>?
                guard find(prefix, &namespace), namespace != nil else { return false }
                attributes[5 * place + 2] = namespace
            }
            for other in 0..<place
            where attributes[5 * place] == attributes[5 * other]
                && attributes[5 * place + 2] == attributes[5 * other + 2]
            {
                return false
            }
        }
        return true
    }
}
