public import Notation
import Wire

/// What a restore holds, in numbers: counted while its events go by, in bounded memory.
public struct RestoreSummary: Hashable, Sendable {
    /// The parts of a restore.
    public enum Section: String, Hashable, Sendable, CaseIterable {
        /// The root's tag and the message.
        case envelope
        /// Sync token and progress.
        case sync
        /// The user.
        case registration
        /// Fixtures and their schemas.
        case fixtures
        /// Case blocks.
        case cases
        /// Ledger blocks.
        case ledgers
        /// Everything else, such as saved forms.
        case other
    }

    /// Something counted, with its size.
    public struct Count: Hashable, Sendable {
        /// How many.
        public var count = 0
        /// Bytes in the document as sent.
        public var bytes: Int64 = 0
    }

    /// The maximum number of names kept of case types and of fixtures; the rest is counted in the
    /// totals alone.
    public static let maxNames = 1000

    /// Events and bytes of each part; the bytes add up to the document.
    ///
    /// An event has all bytes from its beginning to that of the next.
    public private(set) var sections: [Section: Count] = [:]
    /// Case blocks by the type they create; those without `create` are in ``casesWithoutType``.
    public private(set) var casesByType: [ExactText: Int] = [:]
    /// Case blocks without a type, as updates of known cases are.
    public private(set) var casesWithoutType = 0
    /// Case blocks that close their case.
    public private(set) var closes = 0
    /// Fixtures by identifier.
    public private(set) var fixtures: [ExactText: Count] = [:]
    /// Balances and transfers set, entry by entry.
    public private(set) var ledgerEntries = 0
    /// Sync token.
    public private(set) var restoreID: String?
    /// Nature of the first message.
    public private(set) var nature: String?
    /// Name of the user.
    public private(set) var username: String?
    /// `items`, as sent.
    public private(set) var items: String?
    /// Size of the document in bytes; nil before its end.
    public private(set) var size: Int64?
    private var openSection: Section?
    private var openOffset: Int64 = 0

    /// Nothing counted yet.
    public init() {}

    /// Counts an event; they come in the order of the document.
    public mutating func count(_ event: CommCareEvent) {
        switch event {
        case .response(let head):
            items = items ?? head.items
            begin(.envelope, event)
        case .message(let message):
            nature = nature ?? message.nature
            begin(.envelope, event)
        case .restoreID(let token):
            restoreID = restoreID ?? token.id
            begin(.sync, event)
        case .progress: begin(.sync, event)
        case .registration(let registration):
            username = username ?? registration.username
            begin(.registration, event)
        case .schema: begin(.fixtures, event)
        case .fixture(let fixture):
            begin(.fixtures, event)
            let id = ExactText(fixture.id ?? "")
            guard fixtures[id] != nil || fixtures.count < Self.maxNames else { return }
            fixtures[id, default: Count()].count += 1
            fixtures[id, default: Count()].bytes += Int64(fixture.bytes.count)
        case .caseBlock(let block):
            begin(.cases, event)
            count(block)
        case .ledger(let block):
            begin(.ledgers, event)
            ledgerEntries += block.entries.count
        case .other: begin(.other, event)
        case .end(let end):
            close(at: end.position.offset)
            size = end.position.offset
        default: return
        }
    }

    /// Number of case blocks.
    public var cases: Int { sections[.cases]?.count ?? 0 }

    private mutating func count(_ block: CaseBlock) {
        if block.isClosed { closes += 1 }
        let type =
            block.create?.caseType ?? block.update?.last { $0.name == "case_type" }?.value
        guard let type else {
            casesWithoutType += 1
            return
        }
        let name = ExactText(type)
        guard casesByType[name] != nil || casesByType.count < Self.maxNames else { return }
        casesByType[name, default: 0] += 1
    }

    private mutating func begin(_ section: Section, _ event: CommCareEvent) {
        // What precedes the first event belongs to it.
        let offset = openSection == nil ? 0 : event.position?.offset ?? openOffset
        close(at: offset)
        openSection = section
        openOffset = offset
        sections[section, default: Count()].count += 1
    }

    private mutating func close(at offset: Int64) {
        guard let openSection else { return }
        sections[openSection, default: Count()].bytes += max(0, offset - openOffset)
        self.openSection = nil
    }
}
