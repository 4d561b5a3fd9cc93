internal import Notation
internal import OpenRosa
internal import Wire

/// What the server takes a device to have since a restore it gave it: the sync log of CommCare HQ.
struct DeviceLog: Hashable, Sendable {
    /// The restore identifier, which is the device's sync token.
    var id: String
    /// Identifier of the user who received it.
    var user: String
    /// The number of the last form that was in it.
    var form: Int
    /// When it was given, in seconds since 1970.
    var created: Int64
    /// The cases.
    var cases: SyncLog

    /// How long CommCare HQ keeps one, in seconds: 63 days.
    static let lifetime: Int64 = 63 * 86400

    /// Adds a form that was received with the token.
    ///
    /// - Parameters:
    ///   - form: The form.
    ///   - ownsAll: Whether every owner's cases belong on the device.
    mutating func take(_ form: FormDocument, ownsAll: Bool) {
        let blocks = form.caseBlocks
        if ownsAll {
            for block in blocks {
                let updated = block.update?.last { $0.name == "owner_id" }?.value
                if let owner = block.create.map({ $0.ownerID ?? block.userID }) ?? nil {
                    cases.ownerIDs.insert(ExactText(owner))
                }
                if let updated { cases.ownerIDs.insert(ExactText(updated)) }
            }
        }
        cases.apply(blocks)
    }
}
