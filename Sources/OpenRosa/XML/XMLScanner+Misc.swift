import CLibXML2

/// What is neither a tag nor text: comments, sections, instructions and the declaration.
extension XMLScanner {
    /// Whether `text` is at `start`, as far as the document is there.
    func begins(_ base: Bytes, _ start: Int, _ count: Int, _ text: StaticString) -> Bool {
        let length = min(count - start, text.utf8CodeUnitCount)
        return text.withUTF8Buffer {
            $0[..<length].elementsEqual(
                UnsafeBufferPointer(start: base + start, count: length))
        }
    }

    func bang(_ base: Bytes, _ start: Int, _ count: Int, _ stream: XMLStream) -> Step {
        let room = count - start
        if begins(base, start, count, "<!--") {
            guard room > 4 else { return .unfinished }
            return comment(base, start, count, stream)
        }
        guard begins(base, start, count, "<![CDATA["), depth > 0 else { return .doubtful }
        guard room > 9 else { return .unfinished }
        return section(base, start, count, stream)
    }

    private func comment(
        _ base: Bytes, _ start: Int, _ count: Int, _ stream: XMLStream
    ) -> Step {
        var at = start + 4
        while at + 2 < count {
            if base[at] == 0x2D, base[at + 1] == 0x2D {
                guard base[at + 2] == 0x3E, isShort(start, at + 3) else { return .doubtful }
                withText(base + start + 4, at - start - 4) { stream.comment($0) }
                return .read(at + 3)
            }
            guard isPlain(base, at, count) else { return .doubtful }
            at += 1
        }
        return .unfinished
    }

    private func section(
        _ base: Bytes, _ start: Int, _ count: Int, _ stream: XMLStream
    ) -> Step {
        var at = start + 9
        while at + 2 < count {
            if base[at] == 0x5D, base[at + 1] == 0x5D, base[at + 2] == 0x3E {
                if at > start + 9 {
                    stream.gather(
                        UnsafeBufferPointer(start: base + start + 9, count: at - start - 9))
                }
                return .read(at + 3)
            }
            guard isPlain(base, at, count) else { return .doubtful }
            at += 1
        }
        return .unfinished
    }

    func instruction(
        _ base: Bytes, _ start: Int, _ count: Int, _ stream: XMLStream
    ) -> Step {
        let kinds = classes.kinds
        var at = start + 2
        while at < count, kinds[Int(base[at])] & XMLByteClasses.isName != 0 { at += 1 }
        guard at + 1 < count else { return .unfinished }
        // libxml2 keeps a target whole, though no colon is allowed in it.
        guard base[at] == 0x3F || isSpace(base[at]),
            !UnsafeBufferPointer(start: base + start, count: at - start).contains(0x3A),
            let target = names.name(base + start + 2, at - start - 2, room: count - start - 2),
            !isReserved(target)
        else { return .doubtful }
        let isBare = base[at] == 0x3F
        while at < count, isSpace(base[at]) {
            guard isPlain(base, at, count) else { return .doubtful }
            at += 1
        }
        let data = at
        while at + 1 < count {
            if base[at] == 0x3F, base[at + 1] == 0x3E {
                guard isShort(start, at + 2) else { return .doubtful }
                withText(base + data, at - data) { stream.instruction(target.local, $0) }
                return .read(at + 2)
            }
            guard !isBare, isPlain(base, at, count) else { return .doubtful }
            at += 1
        }
        return .unfinished
    }

    /// Whether a name begins with `xml`, in whatever case.
    private func isReserved(_ name: XMLScannedName) -> Bool {
        name.bytes.count >= 3
            && zip(name.bytes, "xml".utf8).allSatisfy { $0 | 0x20 == $1 }
    }

    /// Whether a byte can be passed on as it is; lines are counted.
    @inline(__always)
    private func isPlain(_ base: Bytes, _ at: Int, _ count: Int) -> Bool {
        let byte = base[at]
        if byte >= 0x20 { return byte != 0xEF || !isNoncharacter(base, at, count) }
        if byte == 0x0A { line += 1 }
        return byte == 0x0A || byte == 0x09
    }

    /// Calls `body` with a copy that ends with a zero.
    private func withText(_ start: Bytes, _ count: Int, _ body: (Bytes) -> Void) {
        guard let scratch = scratch.baseAddress else { return }
        scratch.initialize(from: start, count: count)
        scratch[count] = 0
        body(scratch)
    }

    /// A declaration as programs write them.
    func declaration(_ base: Bytes, _ count: Int) -> Step {
        let all = UnsafeBufferPointer(start: base, count: count)
        guard let end = all.firstIndex(of: 0x3E) else {
            return count > XMLEncoding.longestDeclaration ? .doubtful : .unfinished
        }
        let text = String(decoding: all[...end], as: UTF8.self)
        return isShort(0, end + 1) && Self.declarations.contains(text)
            ? .read(end + 1) : .doubtful
    }

    private static let declarations: Set<String> = {
        var all: Set<String> = []
        for encoding in ["", " encoding='utf-8'", " encoding='UTF-8'"] {
            for standalone in ["", " standalone='yes'", " standalone='no'"] {
                for space in ["", " "] {
                    let text = "<?xml version='1.0'\(encoding)\(standalone)\(space)?>"
                    all.formUnion([text, String(text.map { $0 == "'" ? "\"" : $0 })])
                }
            }
        }
        return all
    }()
}

// MARK: To libxml2

extension XMLScanner {
    /// Gives libxml2 the tags that are open, at their lines: it names these where an end is wrong.
    func repeatTags() {
        push("<?xml version='1.0'?>")
        var declared = 0
        // What ended last is still there; where nothing is open, that is the root.
        for element in elements[..<(isComplete ? 1 : depth)] {
            var tag = "<\(String(decoding: element.name.bytes, as: UTF8.self))"
            for namespace in namespaces[declared..<declared + element.declared] {
                let prefix = namespace.prefix.map { ":" + String(cString: $0) } ?? ""
                let uri = namespace.uri.map { String(cString: $0) } ?? ""
                tag += " xmlns\(prefix)=\"\(uri)\""
            }
            declared += element.declared
            context.pointee.input.pointee.line = Int32(clamping: element.line)
            push(tag + ">")
        }
        if isComplete { push("</\(String(decoding: elements[0].name.bytes, as: UTF8.self))>") }
        // It waits for what follows; a comment can follow anywhere.
        push("<!---->")
        context.pointee.input.pointee.line = Int32(clamping: line)
    }

    private func push(_ text: String) {
        xmlParseChunk(context, text, Int32(text.utf8.count), 0)
    }
}
