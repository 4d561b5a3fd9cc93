import CLibXML2

/// What libxml2 reports.
extension XMLStream {
    /// An element begins; `tag` is borrowed from libxml2.
    func starts(
        _ local: UnsafePointer<UInt8>, _ prefix: UnsafePointer<UInt8>?,
        _ namespace: UnsafePointer<UInt8>?, declared: Int, count: Int,
        _ attributes: UnsafeMutablePointer<UnsafePointer<UInt8>?>?
    ) {
        // What is left for the end holds no whole tag; libxml2 reports one that breaks off, too.
        guard error == nil, !isFinishing else { return }
        flushText()
        depth += 1
        namespaces += declared
        if scanner == nil { scopes.append(UInt16(clamping: declared)) }
        if depth > limits.depth {
            _ = tagPosition()
            fail(.tooDeep(limit: limits.depth))
        } else if namespaces > limits.namespaces {
            _ = tagPosition()
            fail(.tooManyNamespaces(limit: limits.namespaces))
        } else if let excess = spend(elements: 1, attributes: count + declared) {
            _ = tagPosition()
            fail(excess)
        } else {
            handler.start(
                XMLTag(
                    stream: self, local: local, prefix: prefix, namespace: namespace,
                    attributes: attributes,
                    symbol: names.symbol(local: local, prefix: prefix, namespace: namespace),
                    count: count, depth: depth))
        }
    }

    /// Bytes that it holds, roughly, and the same for the same document.
    var heldBytes: Int { 32 << 10 + pending.count + 128 * nameCount }

    /// Counts work.
    ///
    /// - Returns: The bound that it exceeds.
    private func spend(elements: Int, attributes: Int) -> XMLError.Reason? {
        work.elements += elements
        work.attributes += attributes
        if work.elements > limits.elements { return .tooManyElements(limit: limits.elements) }
        if work.attributes > limits.allAttributes {
            return .tooManyAttributesInAll(limit: limits.allAttributes)
        }
        return nameCount > limits.names ? .tooManyNames(limit: limits.names) : nil
    }

    /// Counts a comment or processing instruction, and refuses the document where it is too many.
    private func isWithinWork() -> Bool {
        guard let excess = spend(elements: 1, attributes: 0) else { return true }
        walk(to: readOffset)
        fail(excess)
        return false
    }

    /// An element ends; who knows how many namespaces it declared says so.
    func ends(
        _ local: UnsafePointer<UInt8>, _ prefix: UnsafePointer<UInt8>?,
        _ namespace: UnsafePointer<UInt8>?, declared: Int? = nil
    ) {
        guard error == nil else { return }
        flushText()
        handler.end(
            XMLTag(
                stream: self, local: local, prefix: prefix, namespace: namespace,
                attributes: nil,
                symbol: names.symbol(local: local, prefix: prefix, namespace: namespace),
                count: 0, depth: depth))
        depth -= 1
        namespaces -= declared ?? scopes.popLast().map(Int.init) ?? 0
    }

    /// Text continues.
    func gather(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard error == nil, deliversText else { return }
        guard gathered.count + bytes.count > limits.text else {
            return gathered.append(contentsOf: bytes)
        }
        var rest = bytes[...]
        while gathered.count + rest.count > limits.text {
            var taken = limits.text - gathered.count
            while taken > 0, rest[rest.startIndex + taken] & 0xC0 == 0x80 { taken -= 1 }
            gathered.append(contentsOf: rest.prefix(taken))
            rest = rest.dropFirst(taken)
            flushText()
        }
        gathered.append(contentsOf: rest)
    }

    /// Passes on the end of a text, which a tag follows.
    func deliver(_ bytes: UnsafeBufferPointer<UInt8>) {
        guard gathered.isEmpty, bytes.count <= limits.text, error == nil, deliversText else {
            return gather(bytes)
        }
        handler.text(bytes.span)
    }

    /// Passes on the gathered text.
    func flushText() {
        guard !gathered.isEmpty else { return }
        handler.text(gathered.span)
        gathered.removeAll(keepingCapacity: true)
    }

    /// A comment.
    func comment(_ text: UnsafePointer<UInt8>) {
        guard error == nil, foreign == 0 else { return }
        flushText()
        guard isWithinWork() else { return }
        handler.comment(String(cString: text))
    }

    /// A processing instruction.
    func instruction(_ target: UnsafePointer<UInt8>, _ data: UnsafePointer<UInt8>?) {
        guard error == nil else { return }
        flushText()
        guard isWithinWork() else { return }
        handler.instruction(
            target: String(cString: target), data: data.map { String(cString: $0) } ?? "")
    }

    /// libxml2 found fault with the document; the first fault counts.
    func found(domain: Int32, code: Int32, isFatal: Bool, detail: UnsafePointer<CChar>?) {
        let isNamespace = domain == Int32(XML_FROM_NAMESPACE.rawValue)
        guard error == nil, isNamespace ? namespaceError == nil : isFatal else { return }
        // Of a tag that is read on, the place must stay its beginning.
        if isNamespace { _ = tagPosition() } else { walk(to: readOffset) }
        var text = detail.map { String(cString: $0) } ?? "error \(code)"
        while text.last?.isNewline ?? false { text.removeLast() }
        if isNamespace {
            namespaceError = XMLError(.malformed(code: Int(code), detail: text), at: lines.position)
        } else if isFinishing, depth > 0 || !pending.isEmpty {
            flushText()
            fail(.truncated(inside: innermost))
        } else {
            flushText()
            fail(.malformed(code: Int(code), detail: text))
        }
    }
}
