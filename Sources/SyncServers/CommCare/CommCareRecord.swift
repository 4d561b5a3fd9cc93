internal import OpenRosa
internal import Wire

extension CommCareServer {
    /// Something that happened and has to be on the disk before the answer is sent.
    enum Record: Sendable {
        /// A form was stored, and the files that came with it.
        case form(FiledForm)
        /// Files came with a form that was stored before.
        case attachments(domain: String, number: Int, [Attachment])
        /// Cases as they are since the form with this number.
        case cases(domain: String, [CaseState], form: Int)
        /// The ledgers of a case as they are now.
        case ledgers(domain: String, entity: String, CommCareDomain.LedgerMark, [Balance])
        /// A restore was given out: what is kept, and the owners and cases of it in JSON.
        case restore(domain: String, DeviceLog, basis: [UInt8])
        /// A user has a key.
        case key(domain: String, user: String, KeyRecord)
        /// Restores that are no longer kept.
        case forgotten(domain: String, [String])
    }

    /// A form as received.
    struct FiledForm: Sendable {
        var domain: String
        /// The first form of a domain has number 1.
        var number: Int
        var instanceID: String
        var fingerprint: FormFingerprint
        var namespace: String
        /// When it was received, in seconds since 1970.
        var received: Int64
        /// Identifier of the user; nil where no user signed in.
        var user: String?
        /// The sync token that it came with.
        var token: String?
        var bytes: [UInt8]
        var attachments: [Attachment]
    }

    /// A file that came with a form.
    struct Attachment: Sendable {
        var name: String
        var contentType: String?
        var bytes: [UInt8]
    }

    /// How much of something there is.
    struct Balance: Sendable {
        var section: String
        var entry: String
        var quantity: Int64
    }
}
