import Notation
import OpenRosa
import Wire

/// A restore as a device reads it: completely, or not at all.
struct CommCareRestore: Sendable {
    /// The sync token that it issues.
    var token: String?
    /// Identifier of the user.
    var userID: String?
    /// Why a device rejects it; nil where it does not.
    var problem: String?
    /// Whether it ends early or is no XML.
    var isBroken = false
    /// Digest of all its bytes.
    var digest = CommCareDigest()
    /// Number of case blocks.
    var blocks = 0
    /// Case blocks that create a case which the device had.
    var known = 0
    /// The cases of the device afterwards; nil where unknown.
    var ledger: CommCareLedger?
    /// The first block about a case that the device does not have.
    var unknown: CaseProblem?
    /// Cases that refer to each other in a circle, closed by this restore.
    var cycle: [String]?

    /// Reads it; nil where it cannot be read here.
    ///
    /// - Parameters:
    ///   - side: The response.
    ///   - ledger: The cases of the device before; nil where unknown or replaced.
    ///   - isFull: Whether all is replaced.
    init?(_ side: SideEvidence, onto ledger: CommCareLedger?, isFull: Bool) {
        let reading = Reading(isFull ? CommCareLedger(token: "") : ledger)
        let reader = CommCareReader { reading.take($0) }
        var broken: String?
        let isRead = side.read { piece in
            reading.result.digest.add(piece)
            guard broken == nil else { return true }
            do throws(XMLError) { try reader.feed(piece.span) } catch { broken = error.description }
            return true
        }
        guard isRead else { return nil }
        if broken == nil {
            do throws(XMLError) { try reader.finish() } catch { broken = error.description }
        }
        self = reading.result
        self.ledger = reading.ledger
        isBroken = broken != nil
        problem = broken ?? problem ?? (reading.isResponse ? nil : "it is not an OpenRosaResponse")
        if token == nil { problem = problem ?? "it has no restore_id" }
        if let token { self.ledger?.token = token }
        if let userID { self.ledger?.userID = userID }
        if self.ledger?.isOverfull == true { self.ledger = nil }
        cycle = self.ledger?.cycle(through: reading.linked)
    }

    private init() {}

    /// The state while the document streams by.
    private final class Reading {
        var result = CommCareRestore()
        var ledger: CommCareLedger?
        var isResponse = false
        var linked: [ExactText] = []

        init(_ ledger: CommCareLedger?) { self.ledger = ledger }

        func take(_ event: CommCareEvent) {
            switch event {
            case .response: isResponse = true
            case .restoreID(let token):
                if result.token == nil, !token.id.isEmpty, !token.isCut { result.token = token.id }
            case .registration(let registration): result.userID = registration.uuid
            case .caseBlock(let block): take(block)
            default: return
            }
        }

        private func take(_ block: CaseBlock) {
            result.blocks += 1
            if block.create != nil, let id = block.caseID, ledger?.set[id] != nil {
                result.known += 1
            }
            if !block.indices.isEmpty, let id = block.caseID, linked.count < 10_000 {
                linked.append(ExactText(id))
            }
            guard let problem = ledger?.apply(block.trimmed, from: .restore) else { return }
            result.problem = result.problem ?? problem.detail
            if case .unknownCase = problem.reason, result.unknown == nil {
                result.unknown = problem
            }
        }
    }
}
