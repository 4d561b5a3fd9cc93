internal import Notation
internal import OpenRosa
internal import Wire

extension CommCareDomain {
    /// What a form changes.
    struct Change {
        /// The cases as they are afterwards.
        var cases: [CaseState] = []
        /// The ledger blocks, in order.
        var ledgers: [LedgerBlock] = []
    }

    /// Validates the case and ledger blocks of a form; nothing is changed yet.
    ///
    /// - Throws: ``FormDocument/Refusal`` as CommCare HQ words it.
    func judge(_ form: FormDocument) throws(FormDocument.Refusal) -> Change {
        var touched = CaseSet()
        var ids: Set<ExactText> = []
        var change = Change()
        for event in form.blocks {
            switch event {
            case .caseBlock(let block):
                let id = block.caseID ?? ""
                guard id.utf8.count <= 255 else {
                    throw .init(detail: "IllegalCaseId: case_id must not be longer than 255")
                }
                if ids.insert(ExactText(id)).inserted, let known = set[id] { touched.put(known) }
                let problems: [CaseProblem]
                do throws(CaseProblem) {
                    problems = try touched.apply(block, from: .submission, .tolerant)
                } catch {
                    problems = [error]
                }
                try Self.check(problems)
            case .ledger(let block):
                var scratch = CaseSet()
                let problems: [CaseProblem]
                do throws(CaseProblem) {
                    problems = try scratch.apply(block, .tolerant)
                } catch {
                    problems = [error]
                }
                try Self.check(problems)
                for id in [block.entityID, block.source, block.destination].compactMap({ $0 })
                where touched[id] == nil && set[id] == nil {
                    throw .init(detail: "IllegalCaseId: the ledger's case \(id) does not exist")
                }
                change.ledgers.append(block)
            default: continue
            }
        }
        for state in touched.cases.values where !state.indices.isEmpty {
            for index in state.indices.values
            where touched[index.target] == nil && set[index.target] == nil {
                throw .init(
                    detail: "InvalidCaseIndex: case \(state.id) refers to case \(index.target), "
                        + "which does not exist")
            }
        }
        if let id = circle(touched) {
            throw .init(detail: "InvalidCaseIndex: case \(id) refers to itself by way of others")
        }
        change.cases = touched.cases.values.sorted { $0.id < $1.id }
        return change
    }

    /// Whether the cases do not take too many bytes after a change.
    func hasRoom(for change: Change) -> Bool {
        weight + growth(change) <= CommCareServer.Limit.cases
    }

    /// How many more bytes the cases take after a change.
    private func growth(_ change: Change) -> Int {
        change.cases.reduce(change.ledgers.count * 100) {
            $0 + Self.weight($1) - (set[$1.id].map(Self.weight) ?? 0)
        }
    }

    /// Makes a change, of the form that was filed last.
    mutating func make(_ change: Change) {
        weight += growth(change)
        for state in change.cases {
            set.put(state)
            marks[ExactText(state.id)] = count
        }
        for block in change.ledgers {
            // Validated before: invalid ones were refused.
            _ = try? set.apply(block, .tolerant)
            for id in [block.entityID, block.source, block.destination].compactMap({ $0 }) {
                ledgerMarks[ExactText(id)] = LedgerMark(form: count, date: block.date ?? "")
                for entry in block.entries {
                    let section = entry.sectionID ?? block.sectionID ?? ""
                    ledgerKeys[ExactText(id), default: []].insert(
                        LedgerSet.Key(entity: id, section: section, entry: entry.id ?? ""))
                }
            }
        }
    }

    /// Puts a case that the state file has.
    mutating func put(_ state: CaseState, form: Int) {
        weight += Self.weight(state)
        set.put(state)
        marks[ExactText(state.id)] = form
    }

    /// Puts a balance that the state file has.
    mutating func put(
        _ balance: CommCareServer.Balance, of entity: String, _ mark: LedgerMark
    ) {
        let key = LedgerSet.Key(entity: entity, section: balance.section, entry: balance.entry)
        // Blocks have 32 bits; the sum of transfers may be larger.
        var rest = balance.quantity
        repeat {
            let step = Int32(clamping: rest)
            let block = LedgerBlock(
                .transfer, destination: entity, sectionID: balance.section, date: "1970-01-01",
                entries: [.init(id: balance.entry, quantity: String(step))])
            _ = try? set.apply(block, .tolerant)
            rest -= Int64(step)
        } while rest != 0
        ledgerKeys[ExactText(entity), default: []].insert(key)
        ledgerMarks[ExactText(entity)] = mark
    }

    /// Refuses what the server would otherwise keep in part, or could not give a device.
    private static func check(_ problems: [CaseProblem]) throws(FormDocument.Refusal) {
        for problem in problems {
            switch problem.reason {
            case .alreadyExists, .unknownRelationship, .unexpectedInCreate: continue
            case .missingCaseID: throw .init(detail: "IllegalCaseId: case_id must not be empty")
            case .unknownCase:
                throw .init(
                    detail: "IllegalCaseId: case \(problem.caseID ?? "") does not exist")
            case .missingCaseType: throw .init(detail: "MissingCaseType: \(problem.detail)")
            case .incompleteLedger, .invalidQuantity:
                throw .init(detail: "IllegalLedger: \(problem.detail)")
            case .selfIndex, .emptyRelationship:
                throw .init(detail: "InvalidCaseIndex: \(problem.detail)")
            default: throw .init(detail: "IllegalCaseBlock: \(problem.detail)")
            }
        }
    }

    /// A case that indices lead back to; nil where none do.
    private func circle(_ touched: CaseSet) -> String? {
        let circle = CaseCircle.find(from: touched.cases.keys) { id in
            let state = touched.cases[id] ?? set.cases[id]
            return state?.indices.values.map { ExactText($0.target) } ?? []
        }
        return circle?.first?.string
    }

    static func weight(_ state: CaseState) -> Int {
        state.properties.reduce(300 + 100 * state.indices.count) {
            $0 + $1.key.string.utf8.count + $1.value.utf8.count + 64
        }
    }
}
