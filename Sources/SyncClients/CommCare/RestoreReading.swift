internal import OpenRosa
internal import Storage

/// Applies a restore to the rows while it is read.
final class RestoreReading {
    private let rows: CaseRows
    private(set) var restoreID: String?
    private(set) var userID: String?
    /// The fixture with the user's groups.
    private(set) var groups: Fixture?
    private var isResponse = false
    private var problem: String?
    private var fault: StorageFault?

    init(_ rows: CaseRows) { self.rows = rows }

    /// - Returns: The error of the restore; nil where it is valid.
    func read(_ path: String) throws(StorageFault) -> String? {
        let reader = CommCareReader { [self] event in
            guard problem == nil, fault == nil else { return }
            do throws(StorageFault) { try take(event) } catch { fault = error }
        }
        do throws(XMLError) {
            var broken: XMLError?
            let isRead = LocalFile.read(path) { piece in
                do throws(XMLError) {
                    try reader.feed(piece.span)
                    return problem == nil && fault == nil
                } catch {
                    broken = error
                    return false
                }
            }
            if let broken { throw broken }
            if !isRead { return "it cannot be read from disk" }
            if problem == nil, fault == nil { try reader.finish() }
        } catch {
            return error.description
        }
        if let fault { throw fault }
        return problem ?? (isResponse ? nil : "it is not an OpenRosaResponse")
    }

    private func take(_ event: CommCareEvent) throws(StorageFault) {
        switch event {
        case .response: isResponse = true
        case .message(let message) where message.nature == "submit_error": problem = message.text
        case .caseBlock(let block): problem = try rows.apply(block, from: .restore, .strict)?.detail
        case .ledger(let block): problem = try rows.apply(block, .strict)?.detail
        case .fixture(let fixture):
            try rows.apply(fixture)
            if fixture.groups != nil { groups = fixture }
        case .registration(let registration): userID = registration.uuid
        case .restoreID(let token): restoreID = token.id
        default: return
        }
    }
}
