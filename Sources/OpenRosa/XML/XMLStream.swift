import CLibXML2

/// Reads XML piece by piece, in memory that does not grow with the document.
///
/// libxml2's push parser underneath, with everything turned off that reaches beyond the bytes it
/// is fed: no document type declaration, no entity but the five predefined ones, no file, no
/// network. Where the document is cut makes no difference to events or errors: libxml2 gets it in
/// whole tags and references (`XMLSegmenter`), and only from the first thing on that there might be
/// something to say about; up to there `XMLScanner` reads.
///
/// Encodings: UTF-8, UTF-16, US-ASCII, ISO-8859-1 and windows-1252.
public final class XMLStream {
    /// The maximum number of bytes passed to libxml2 at once.
    static let stretch = 1 << 16

    private static let library: Void = {
        xmlInitParser()
        xmlSetExternalEntityLoader { _, _, _ in nil }
    }()

    /// A comment of no meaning.
    private static let nothing: StaticString = "<!---->"

    let handler: any XMLEventHandler
    let limits: XMLLimits
    let context: xmlParserCtxtPtr?
    /// Reads as long as nothing is doubtful.
    @exclusivity(unchecked) var scanner: XMLScanner?
    /// Whether what libxml2 reports has been read before.
    @exclusivity(unchecked) var isRepeating = false

    // What is still to be read.
    var head: [UInt8]? = []
    var transcoder: XMLTranscoder?
    /// Bytes of a UTF-8 character that is not complete, up to 3.
    var partial: [UInt8] = []
    var segmenter: XMLSegmenter
    /// The document since the last safe place, in UTF-8.
    var pending: [UInt8] = []

    // Where libxml2 is.
    @exclusivity(unchecked) var lines = XMLLineCounter()
    /// The document's bytes that libxml2 has, in UTF-8.
    @exclusivity(unchecked) var pushed: Int64 = 0
    /// Those of them that it is being given.
    @exclusivity(unchecked) var current: UnsafeBufferPointer<UInt8>?
    /// The last bytes of the document that libxml2 has and did not read: at most a short text.
    @exclusivity(unchecked) private var lag: [UInt8] = []
    /// Bytes at the end of libxml2's input that are not the document's.
    @exclusivity(unchecked) private(set) var foreign = 0
    /// Bytes of the document that libxml2 was given and hides from itself: a carriage return at the
    /// end of what it is given, until it has parsed what is before.
    @exclusivity(unchecked) private var hidden = 0
    private var isSectionCut = false
    private(set) var isFinishing = false
    private var isFinished = false

    // What the callbacks keep. Safety: nothing here is reached from outside but through `feed` and
    // `finish`, which refuse to be called from a callback; the checks cost a third of the time.
    @exclusivity(unchecked) var names = XMLNameTable()
    @exclusivity(unchecked) var depth = 0
    @exclusivity(unchecked) var scopes: [UInt16] = []
    @exclusivity(unchecked) var namespaces = 0
    @exclusivity(unchecked) var gathered: [UInt8] = []
    /// What the document has cost, with what was counted before it.
    @exclusivity(unchecked) public internal(set) var work: XMLWork
    /// Names that libxml2 has before any document.
    private var ownNames = 0

    /// The document as far as it was read is not well formed, or exceeds a limit.
    @exclusivity(unchecked) public private(set) var error: XMLError?
    /// The first breach of Namespaces in XML, such as a prefix without declaration; the document
    /// is read on, since XML 1.0 allows it.
    public internal(set) var namespaceError: XMLError?
    /// Whether ``XMLEventHandler/text(_:)`` is called; a handler that needs no text at some place
    /// saves time by turning it off there.
    @exclusivity(unchecked) public var deliversText = true

    /// A stream at the start of a document.
    ///
    /// - Parameters:
    ///   - handler: Called during ``feed(_:)`` and ``finish()``; kept alive by the stream.
    ///   - limits: When to refuse a document.
    ///   - work: What was spent of the limits on documents before it.
    public convenience init(
        handler: any XMLEventHandler, limits: XMLLimits = XMLLimits(), work: XMLWork = XMLWork()
    ) {
        self.init(handler: handler, limits: limits, work: work, isScanning: true)
    }

    /// A stream that leaves all to libxml2 unless `isScanning`.
    init(
        handler: any XMLEventHandler, limits: XMLLimits, work: XMLWork = XMLWork(), isScanning: Bool
    ) {
        _ = Self.library
        self.handler = handler
        self.limits = limits
        self.work = work
        segmenter = XMLSegmenter(limits: limits)
        var callbacks = XMLCallbacks.table
        context = xmlCreatePushParserCtxt(&callbacks, nil, nil, 0, nil)
        if let context {
            xmlCtxtUseOptions(
                context, Int32(XML_PARSE_NONET.rawValue | XML_PARSE_IGNORE_ENC.rawValue))
            context.pointee.userData = Unmanaged.passUnretained(self).toOpaque()
            for name in ["xml", "xmlns", "http://www.w3.org/XML/1998/namespace"] {
                xmlDictLookup(context.pointee.dict, name, Int32(name.utf8.count))
            }
            ownNames = Int(xmlDictSize(context.pointee.dict))
            if isScanning { scanner = XMLScanner(limits, context) }
        }
    }

    deinit {
        if let context { xmlFreeParserCtxt(context) }
    }

    /// Reads the next bytes of the document.
    ///
    /// - Throws: ``XMLError``; the same again from then on.
    public func feed(_ bytes: borrowing Span<UInt8>) throws(XMLError) {
        if let error { throw error }
        precondition(!isFinished, "nothing can follow finish()")
        precondition(current == nil, "called from a handler")
        guard head != nil else { return try decode(bytes) }
        var whole = head ?? []
        // Only a declaration is waited for, so that little of what was fed is copied.
        var taken = 0
        while taken < bytes.count {
            whole.append(bytes[taken])
            taken += 1
            if case .undecided = XMLEncoding.detect(whole, isWhole: false) { continue }
            try begin(whole, isWhole: false)
            return try decode(bytes.extracting(taken...))
        }
        head = whole
    }

    /// Ends the document.
    ///
    /// - Throws: ``XMLError`` where it is not complete, or not one.
    public func finish() throws(XMLError) {
        if let error { throw error }
        guard !isFinished else { return }
        precondition(current == nil, "called from a handler")
        isFinished = true
        if let head {
            guard !head.isEmpty else { throw fail(.empty) }
            try begin(head, isWhole: true)
        }
        guard partial.isEmpty, transcoder?.isBetweenCharacters ?? true else {
            throw try refuse(.encoding, at: pushed + Int64(pending.count))
        }
        if let scanner {
            if scanner.isComplete, pending.isEmpty { return flushText() }
            try handOver()
        }
        // A fault in text that libxml2 still waits with is not the end's.
        try release()
        isFinishing = true
        try push(pending, isLast: true)
        flushText()
    }

    // MARK: From UTF-8 to libxml2

    func take(_ bytes: borrowing Span<UInt8>) throws(XMLError) {
        if let scanner { return try scan(bytes, with: scanner) }
        let scan = segmenter.scan(bytes)
        var rest = 0
        if let first = scan.first {
            rest = scan.last
            if !pending.isEmpty {
                append(bytes.extracting(..<first))
                try pushPending(pending.count, isSection: first == rest && segmenter.isInSection)
                if rest > first {
                    try push(bytes.extracting(first..<rest), isSection: segmenter.isInSection)
                }
            } else {
                try push(bytes.extracting(..<rest), isSection: segmenter.isInSection)
            }
        }
        switch scan.stop {
        case nil:
            append(bytes.extracting(rest...))
            try drain()
        case .illFormed(let end):
            append(bytes.extracting(rest..<end))
            try push(pending, isLast: true)
            throw fail(.malformed(code: 0, detail: "unexpected character"))
        case .refused(let reason, let offset):
            append(bytes.extracting(rest...))
            throw try refuse(reason, at: offset)
        }
    }

    func append(_ bytes: borrowing Span<UInt8>) {
        bytes.withUnsafeBufferPointer { pending.append(contentsOf: $0) }
    }

    /// Passes on what of the pending text need not wait.
    private func drain() throws(XMLError) {
        guard segmenter.isInText || segmenter.isInSection, !pending.isEmpty else { return }
        let count = pending.count - held(pending)
        guard count > 0 else { return }
        try pushPending(count, isSection: segmenter.isInSection)
    }

    private func held(_ bytes: [UInt8]) -> Int { XMLSegmenter.held(atEndOf: bytes.span, from: 0) }

    private func pushPending(_ count: Int, isSection: Bool) throws(XMLError) {
        let bytes = pending
        pending = []
        try push(bytes.span.extracting(..<count), isSection: isSection)
        if count < bytes.count { pending = Array(bytes[count...]) }
    }

    private func push(_ bytes: [UInt8], isLast: Bool) throws(XMLError) {
        try push(bytes.span, isSection: false, isLast: isLast)
    }

    /// Hands `bytes` to libxml2.
    ///
    /// Where they end inside a CDATA section (`isSection`), it is closed here and opened again
    /// before the next bytes, which means the same.
    private func push(
        _ bytes: borrowing Span<UInt8>, isSection: Bool, isLast: Bool = false
    )
        throws(XMLError)
    {
        guard let context else { throw fail(.malformed(code: 2, detail: "out of memory")) }
        if pushed == 0, !bytes.isEmpty, !Self.isDeclaration(bytes) {
            // libxml2 inspects four bytes before it begins; with these it does so at once.
            xmlParseChunk(context, "<?xml version='1.0'?>", 21, 0)
        }
        if isSectionCut, !bytes.isEmpty || isLast {
            isSectionCut = false
            xmlParseChunk(context, "<![CDATA[", 9, 0)
        }
        bytes.withUnsafeBufferPointer { buffer in
            current = buffer
            pushed += Int64(buffer.count)
            hidden = !isLast && buffer.last == 0x0D ? 1 : 0
            buffer.withMemoryRebound(to: CChar.self) { characters in
                if isSection {
                    xmlParseChunk(context, characters.baseAddress, Int32(characters.count), 0)
                    hidden = 0
                    foreign = 3
                    xmlParseChunk(context, "]]>", 3, 0)
                    foreign = 0
                    isSectionCut = true
                } else {
                    xmlParseChunk(
                        context, characters.baseAddress, Int32(characters.count),
                        isLast ? 1 : 0)
                }
            }
            hidden = 0
            settle()
            current = nil
        }
        if let error { throw error }
        guard context.pointee.wellFormed != 0 else {
            throw fail(.malformed(code: Int(context.pointee.errNo), detail: "not well formed"))
        }
    }

    private static func isDeclaration(_ bytes: borrowing Span<UInt8>) -> Bool {
        bytes.count >= 5 && bytes[0] == 0x3C && bytes[1] == 0x3F && bytes[2] == 0x78
            && bytes[3] == 0x6D && bytes[4] == 0x6C
    }

    // MARK: Places

    /// Moves the line counter to `offset`, as far as libxml2 has the document.
    func walk(to offset: Int64) {
        let lagging = Int(max(0, min(offset - lines.utf8, Int64(lag.count))))
        if lagging > 0 {
            let bytes = lag
            lines.advance(over: bytes.span.extracting(..<lagging))
            lag.removeFirst(lagging)
        }
        guard lag.isEmpty, let current else { return }
        let start = pushed - Int64(current.count)
        let from = Int(lines.utf8 - start)
        let to = Int(min(offset, pushed) - start)
        guard from >= 0, from < to else { return }
        lines.advance(over: current.span.extracting(from..<to))
    }

    /// Moves the line counter to where libxml2 is, and keeps what it has not read.
    private func settle() {
        walk(to: readOffset)
        guard let current else { return }
        let rest = Int(min(Int64(current.count), pushed - lines.utf8 - Int64(lag.count)))
        if rest > 0 { lag.append(contentsOf: current[(current.count - rest)...]) }
    }

    /// Offset of the first byte that libxml2 has and did not read.
    var readOffset: Int64 {
        if let scanner { return pushed - Int64(current?.count ?? 0) + Int64(scanner.closing) }
        return pushed - Int64(max(0, tapedeck_xml_unread(context) + hidden - foreign))
    }

    /// Number of different names that the document has so far.
    var nameCount: Int { context.map { Int(xmlDictSize($0.pointee.dict)) - ownNames } ?? 0 }

    /// The name of the innermost element that libxml2 has seen begin and not end.
    var innermost: String? { context?.pointee.name.map { String(cString: $0) } }

    /// The place of the tag that libxml2 reports.
    func tagPosition() -> XMLPosition {
        if let scanner {
            walk(to: pushed - Int64(current?.count ?? 0) + Int64(scanner.opening))
            return lines.position
        }
        walk(to: pushed - Int64(max(0, tapedeck_xml_from_tag(context) + hidden - foreign)))
        return lines.position
    }

    /// Ends the reading with an error, unless one ended it before.
    @discardableResult
    func fail(_ reason: XMLError.Reason) -> XMLError {
        let error = error ?? XMLError(reason, at: lines.position)
        self.error = error
        scanner?.isStopped = true
        return error
    }

    /// Makes libxml2 read the short text that it keeps until something follows; a comment can follow
    /// anywhere.
    private func release() throws(XMLError) {
        guard let context, pushed > 0 else { return }
        current = UnsafeBufferPointer(start: nil, count: 0)
        foreign = Self.nothing.utf8CodeUnitCount
        xmlParseChunk(context, Self.nothing.description, Int32(foreign), 0)
        walk(to: readOffset)
        (foreign, current) = (0, nil)
        if let error { throw error }
    }

    /// Refuses the document for what is at `offset`, once the events before it were reported.
    ///
    /// - Returns: The refusal; what libxml2 finds before that place is thrown instead.
    func refuse(_ reason: XMLError.Reason, at offset: Int64) throws(XMLError) -> XMLError {
        try handOver()
        let safe = segmenter.lastSafe(before: offset) - pushed
        let count = Int(max(0, min(Int64(pending.count), safe)))
        if count > 0 { try pushPending(count, isSection: segmenter.isInSection) }
        try release()
        walk(to: pushed)
        let rest = pending
        let before = Int(max(0, min(Int64(rest.count), offset - pushed)))
        lines.advance(over: rest.span.extracting(..<before))
        flushText()
        return fail(reason)
    }
}

@available(*, unavailable)
extension XMLStream: Sendable {}
