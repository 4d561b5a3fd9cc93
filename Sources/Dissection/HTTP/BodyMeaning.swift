import Framing
import Notation
import OpenRosa
import Wire

/// Looks for documents in a body as its bytes come: OpenRosa XML, multipart parts, 406 JSON.
final class BodyMeaning {
    private let exchange: ExchangeID
    private let sender: Peer
    private let connection: ConnectionID
    /// Where and when the message began, which is what notes about its document point at.
    private let place: Place
    private let at: Instant
    private let limits: DissectionLimits
    private let mayBeXML: Bool
    private let api: String
    private var multipart: MultipartParser?
    private var events: [MultipartEvent] = []
    private var document: OpenRosaReader?
    private var documents: [(part: Int?, document: OpenRosaDocument)] = []
    private var caseBlocks = 0
    /// What the documents so far have cost.
    private var work = XMLWork()
    private var part: PartRow?
    private var parts: [PartRow] = []
    private var actionable: Result<ActionableMessage, ActionableMessage.Problem>?
    private var hasBegun = false
    private var problem: String?

    /// Nil where the content is none of the kinds that are inspected.
    init?(
        _ facts: BodyFacts, status: Int?, exchange: ExchangeRow, sender: Peer,
        limits: DissectionLimits
    ) {
        let api = exchange.api
        multipart =
            facts.isMultipart
            ? facts.contentType.flatMap { MultipartParser(contentType: $0) } : nil
        mayBeXML = facts.isXML || API.isOpenRosa(api)
        guard multipart != nil || mayBeXML || status == 406 else { return nil }
        self.exchange = exchange.id
        connection = exchange.connection
        let isRequest = sender == .client
        place = isRequest ? exchange.requestPlace : exchange.responsePlace ?? exchange.requestPlace
        at = isRequest ? exchange.startedAt : exchange.respondedAt ?? exchange.startedAt
        self.sender = sender
        self.limits = limits
        self.api = api
    }

    /// Bytes that it holds, roughly, and the same for the same content.
    var heldBytes: Int {
        (document?.heldBytes ?? 0) + (multipart?.heldBytes ?? 0) + 1024 * documents.count
            + 256 * parts.count
    }

    /// Processes decoded content, and emits the rows of the case blocks that it ends.
    func take(_ bytes: borrowing Span<UInt8>, to out: DissectorOutput) {
        if multipart != nil {
            takeParts(bytes, to: out)
        } else {
            takeDocument(bytes, part: nil, to: out)
        }
    }

    private func takeParts(_ bytes: borrowing Span<UInt8>, to out: DissectorOutput) {
        events.removeAll(keepingCapacity: true)
        multipart?.consume(bytes, into: &events)
        for event in events {
            switch event {
            case .content(let range): takePart(bytes.extracting(range), to: out)
            case .held(let held): takePart(held.span, to: out)
            default: handle(event, to: out)
            }
        }
    }

    private func takePart(_ bytes: borrowing Span<UInt8>, to out: DissectorOutput) {
        part?.size += Int64(bytes.count)
        guard let part, isForm(part) else { return }
        takeDocument(bytes, part: part.position, to: out)
    }

    private func handle(_ event: MultipartEvent, to out: DissectorOutput) {
        switch event {
        case .part(let head, let offset):
            hasBegun = false
            part = PartRow(
                exchange: exchange, sender: sender, position: (part?.position ?? -1) + 1,
                name: head.name, filename: head.filename, contentType: head.contentType, size: 0,
                offset: offset)
        case .partEnd:
            closeDocument(to: out)
            if let part, parts.count < limits.parts { parts.append(part) }
        case .failure(let error):
            problem = error.description
        case .end, .content, .held:
            return
        }
    }

    private func isForm(_ part: PartRow) -> Bool {
        part.name == "xml_submission_file" || part.contentType?.containsASCII("xml") == true
    }

    private func takeDocument(
        _ bytes: borrowing Span<UInt8>, part: Int?, to out: DissectorOutput
    ) {
        if !hasBegun {
            guard mayBeXML || part != nil, let first = firstByte(bytes) else { return }
            hasBegun = true
            // A gateway's HTML or plain text is not read as XML.
            guard documents.count < limits.parts else {
                problem = problem ?? "only the first \(limits.parts) documents are decoded"
                return
            }
            if first == UInt8(ascii: "<") || first == 0xEF {
                document = OpenRosaReader(
                    purpose: sender == .client ? .submission : .any, limits: limits.xml,
                    work: work, caseBlocks: limits.caseBlocks - caseBlocks)
                self.documentPart = part
            }
        }
        document?.feed(bytes)
        giveCases(to: out)
    }

    /// Emits the case blocks received so far: a large restore is not held until it ends.
    ///
    /// A document with one is always of interest.
    private func giveCases(to out: DissectorOutput) {
        for outline in document?.takeCases() ?? [] {
            let row = CaseBlockRow(
                outline, exchange, sender, part: documentPart, position: caseBlocks)
            out.emit(.caseBlock(row))
            caseBlocks += 1
        }
    }

    private var documentPart: Int?

    private func firstByte(_ bytes: borrowing Span<UInt8>) -> UInt8? {
        for index in bytes.indices {
            switch bytes[index] {
            case 0x20, 0x09, 0x0A, 0x0D: continue
            default: return bytes[index]
            }
        }
        return nil
    }

    private func closeDocument(to out: DissectorOutput) {
        guard let document else { return }
        let outline = document.finish()
        giveCases(to: out)
        work = document.work
        documents.append((documentPart, outline))
        self.document = nil
    }

    /// Reads the JSON of a 406.
    func readActionable(_ content: [UInt8]) {
        do throws(ActionableMessage.Problem) {
            actionable = .success(try ActionableMessage(parsing: content.span))
        } catch {
            // Servers of other protocols answer with 406 to what a client accepts.
            if isOpenRosa { actionable = .failure(error) }
        }
    }

    /// Takes the content of a 406 for one that is longer than what is kept.
    func refuseActionable() {
        if isOpenRosa { actionable = .failure(.tooLong) }
    }

    private var isOpenRosa: Bool { api.hasPrefix("commcare.") || api.hasPrefix("openrosa.") }

    /// Emits the rows.
    ///
    /// - Returns: The error of the body's structure; nil where it is valid.
    func finish(isCut: Bool, to out: DissectorOutput) -> String? {
        if !isCut, multipart != nil {
            events.removeAll(keepingCapacity: true)
            multipart?.endOfStream(into: &events)
            for event in events {
                if case .held(let held) = event {
                    takePart(held.span, to: out)
                } else {
                    handle(event, to: out)
                }
            }
        }
        closeDocument(to: out)
        if isCut, let part, parts.last?.position != part.position, parts.count < limits.parts {
            parts.append(part)
        }
        for row in parts { out.emit(.part(row)) }
        if let actionable {
            var row = OpenRosaRow(
                exchange: exchange, sender: sender, part: nil, kind: "actionable", root: "")
            switch actionable {
            case .success(let message):
                row.key = message.error
                row.detail = message.defaultResponse
            case .failure(let problem): row.problem = problem.description
            }
            out.emit(.openRosa(row))
            if let problem = row.problem {
                out.emit(
                    .note(
                        NoteRow(
                            connection: connection, exchange: exchange, sender: sender, at: at,
                            place: place, code: ConversationNote.actionableMalformed.rawValue,
                            detail: problem)))
            }
        }
        for (part, document) in documents where document.isOfInterest(api: api) {
            out.emit(.openRosa(OpenRosaRow(document, exchange, sender, part: part)))
            for note in document.notes {
                out.emit(
                    .note(
                        NoteRow(
                            connection: connection, exchange: exchange, sender: sender, at: at,
                            place: place, code: note.code, detail: note.detail)))
            }
        }
        return problem
    }
}

extension OpenRosaDocument {
    /// Whether the document is of use for debugging a sync.
    fileprivate func isOfInterest(api: String) -> Bool {
        kind != .xml || problem != nil || api.hasPrefix("commcare.") || api.hasPrefix("openrosa.")
    }
}

extension OpenRosaRow {
    fileprivate init(
        _ document: OpenRosaDocument, _ exchange: ExchangeID, _ sender: Peer, part: Int?
    ) {
        self.init(
            exchange: exchange, sender: sender, part: part, kind: document.kind.rawValue,
            root: document.root)
        namespace = document.namespace
        nature = document.nature
        detail = document.message
        items = document.items
        done = document.progress?.done
        total = document.progress?.total
        restoreID = document.restoreID
        instanceID = document.form?.meta?.instanceID
        cases = document.cases.blocks
        fixtures = document.fixtures
        ledgers = document.ledgers
        owners = document.owners.map { JSONValue.array($0.map(JSONValue.string)).text() }
        problem = document.problem.map { "\($0)" }
    }
}

extension String {
    /// Whether the text contains `word`, which is ASCII in lower case, whatever the case.
    ///
    /// Compares bytes, since characters cost a hundred times as much and this runs for every body.
    func containsASCII(_ word: StaticString) -> Bool {
        var text = self
        return text.withUTF8 { bytes in
            let length = word.utf8CodeUnitCount
            guard bytes.count >= length else { return false }
            for start in 0...(bytes.count - length) {
                let isHere = (0..<length).allSatisfy { index in
                    let byte = bytes[start + index]
                    let lower = (0x41...0x5A).contains(byte) ? byte | 0x20 : byte
                    return lower == word.utf8Start[index]
                }
                if isHere { return true }
            }
            return false
        }
    }
}
