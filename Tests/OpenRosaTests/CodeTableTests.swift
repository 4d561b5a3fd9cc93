import Testing

@testable import OpenRosa

@Suite struct CodeTableTests {
    @Test(
        arguments: [
            (202, .commcareRestore, nil, .poll), (412, .commcareRestore, nil, .recover),
            (422, .commcareSubmit, "processing_failure", .quarantine),
            (422, .commcareSubmit, nil, .backOff),
            (422, .commcareSubmit, "post_processing_failure", .backOff), (429, nil, nil, .coolDown),
            (503, .commcareSubmit, nil, .coolDown), (406, .commcareHeartbeat, nil, .tellUser),
            (201, .commcareSubmit, "submit_success", .done),
            (201, .commcareSubmit, "submit_error", .keep),
            (200, .openRosaSubmit, nil, .keep), (500, .commcareRestore, nil, .tellUser),
            (500, .commcareSubmit, nil, .backOff),
            (412, .commcareSubmit, nil, nil), (299, nil, nil, nil), (202, nil, nil, nil),
        ] as [(Int, OpenRosaAPI?, String?, CodeAdvice.Action?)])
    func `advises`(status: Int, api: OpenRosaAPI?, nature: String?, action: CodeAdvice.Action?) {
        #expect(CodeTable.advice(status: status, api: api, nature: nature)?.action == action)
    }

    @Test func `every row is one sentence each, and no two are about the same`() {
        var seen: Set<String> = []
        for row in CodeTable.rows {
            #expect(row.means.hasSuffix(".") && row.next.hasSuffix("."))
            let key = "\(row.status) \(row.group?.rawValue ?? "") \(row.nature ?? "")"
            let isNew = seen.insert(key).inserted
            #expect(isNew)
        }
        let specified = Set(CodeTable.rows.filter(\.isSpecified).map(\.status))
        #expect(specified == [202, 406, 412, 422, 429, 503])
    }
}
