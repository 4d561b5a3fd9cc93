import Foundation
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
            (201, .commcareClaim, nil, .sync), (204, .commcareClaim, nil, .done),
            (410, .commcareClaim, nil, .tellUser), (204, .openRosaSubmitCheck, nil, .done),
            (200, .openRosaSubmitCheck, nil, .tellUser), (204, .openRosaSubmit, nil, .keep),
            (200, .openRosaFormList, nil, .done), (302, .commcareRestore, nil, .follow),
            (302, .commcareSubmit, nil, .keep), (404, .commcareHeartbeat, nil, .backOff),
            (404, .commcareRestore, nil, .tellUser), (0, .commcareKeys, nil, .backOff),
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

    /// The codes of OpenRosa/Specification.md#response-codes, and the kinds of requests that get
    /// them.
    @Test(
        arguments: [
            (.commcareSubmit, [200, 201, 202, 204, 400, 401, 403, 406, 413, 422, 423, 429]),
            (.commcareSubmit, [301, 302, 404, 500, 502, 503, 504, 509]),
            (.commcareRestore, [200, 202, 301, 302, 400, 401, 403, 404, 406, 412, 429]),
            (.commcareRestore, [500, 502, 503, 504, 509]),
            (.commcareClaim, [201, 204, 400, 401, 410]), (.openRosaSubmitCheck, [204, 401]),
            (.openRosaFormList, [200, 401, 404]), (.commcareHeartbeat, [200, 401, 404, 406]),
            (.commcareSearch, [200, 400]), (.commcareKeys, [200, 401]),
            (.commcareRecovery, [200]),
        ] as [(OpenRosaAPI, [Int])])
    func `has a row for every code that servers send`(api: OpenRosaAPI, statuses: [Int]) {
        for status in statuses {
            #expect(CodeTable.advice(status: status, api: api) != nil, "\(status)")
        }
    }

    @Test func `every kind of request and every action is in use`() {
        #expect(Set(OpenRosaAPI.allCases.map(\.group)) == Set(OpenRosaAPI.Group.allCases))
        #expect(Set(CodeTable.rows.map(\.action)) == Set(CodeAdvice.Action.allCases))
        #expect(CodeTable.rows.map(\.status) == CodeTable.rows.map(\.status).sorted())
    }

    @Test func `the page is what the table says`() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appendingPathComponent("../../../Sources/OpenRosa/Codes/CodeTable.md").standardized
        if ProcessInfo.processInfo.environment["TAPEDECK_REBASELINE"] == "1" {
            try Data(CodeTable.page.utf8).write(to: file)
        }
        let written = String(decoding: try Data(contentsOf: file), as: UTF8.self)
        #expect(written == CodeTable.page)
    }
}
