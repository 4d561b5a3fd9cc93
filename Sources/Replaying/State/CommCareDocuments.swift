internal import Notation
internal import OpenRosa
internal import Wire

/// A restore as a whole.
struct RestoreDocument {
    let events: [CommCareEvent]
    /// Whether it was read to its end.
    let isComplete: Bool
    private(set) var isRestore = false
    private(set) var token: String?
    private(set) var userName: String?
    private(set) var userID: String?
    private var groups: [String]?

    init(_ body: [UInt8]) {
        let (events, error) = CommCareReader.read(body)
        self.events = events
        isComplete = error == nil
        for event in events {
            switch event {
            case .response: isRestore = true
            case .restoreID(let restore): token = restore.id
            case .registration(let registration):
                userName = registration.username
                userID = registration.uuid
            case .fixture(let fixture) where fixture.groups != nil:
                groups = fixture.isCut ? nil : fixture.groups
            default: continue
            }
        }
    }

    /// The case blocks, in order.
    var blocks: some Sequence<CaseBlock> {
        events.lazy.compactMap { event in
            if case .caseBlock(let block) = event { return block }
            return nil
        }
    }

    /// The ledger blocks, in order.
    var ledgers: some Sequence<LedgerBlock> {
        events.lazy.compactMap { event in
            if case .ledger(let block) = event { return block }
            return nil
        }
    }

    /// The owners whose cases belong on the device, after this restore; nil for all, where no
    /// groups are known.
    func owners(before: Set<ExactText>?) -> Set<ExactText>? {
        guard let userID, let groups, !groups.isEmpty else { return before }
        return Set(groups.map(ExactText.init)).union([ExactText(userID)])
    }
}

/// A filled form, as a request carries it.
struct FormDocument {
    /// What it does to cases and ledgers.
    let events: [CommCareEvent]
    private(set) var instanceID: String?
    /// By which its bytes are known when they are sent again.
    let fingerprint: FormFingerprint

    /// Nil where the request carries none that can be read.
    init?(_ request: ReplayMessage) {
        guard let xml = Self.xml(request) else { return nil }
        let (all, error) = CommCareReader.read(xml, purpose: .submission)
        guard error == nil else { return nil }
        var events: [CommCareEvent] = []
        for event in all {
            switch event {
            case .caseBlock, .ledger: events.append(event)
            case .meta(let meta): instanceID = instanceID ?? meta.instanceID
            default: continue
            }
        }
        self.events = events
        fingerprint = FormFingerprint(xml)
    }

    /// The case blocks, in order.
    var blocks: [CaseBlock] {
        events.compactMap { event in
            if case .caseBlock(let block) = event { return block }
            return nil
        }
    }

    private static func xml(_ request: ReplayMessage) -> [UInt8]? {
        let type = request.value("content-type") ?? ""
        guard HeaderText.mediaType(type).hasPrefix("multipart/") else {
            return request.body.isEmpty ? nil : request.body
        }
        guard let boundary = HeaderText.parameter("boundary", of: type),
            let body = MultipartBody(request.body, boundary: boundary)
        else { return nil }
        let part = body.parts.first { part in
            part.value("content-disposition").flatMap { HeaderText.parameter("name", of: $0) }
                == SubmissionPart.formName
        }
        return part.map { Array(request.body[$0.content]) }
    }
}
