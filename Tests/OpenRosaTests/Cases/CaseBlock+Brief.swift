import OpenRosa

extension CaseBlock {
    /// A block with a date, for tests that are about other things.
    static func of(
        _ id: String, create: Create? = nil, update: [Property]? = nil, close: Bool = false,
        indices: [Index] = [], attachments: [Attachment] = [], version: Version = .two
    ) -> CaseBlock {
        CaseBlock(
            version: version, caseID: id, dateModified: "2026-02-03T04:05:06.789Z", userID: "u",
            create: create, update: update, isClosed: close, indices: indices,
            attachments: attachments)
    }
}
