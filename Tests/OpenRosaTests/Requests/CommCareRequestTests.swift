import Testing

@testable import OpenRosa

@Suite struct CommCareRequestTests {
    private let device = CommCareRequest.Device(
        deviceID: "dev 1", appVersion: "2.53", userID: "u&1", syncToken: "token",
        authorization: "Basic x")

    private func header(_ name: String, _ request: CommCareRequest) -> String? {
        request.headers.first { $0.name == name }?.value
    }

    @Test func `a submission carries the sync token, and its query only in a demonstration`() {
        var device = device
        let request = CommCareRequest.submission(from: device, contentType: "text/xml")
        #expect(request.method == "POST")
        #expect(
            request.headers == [
                .init("X-OpenRosa-Version", "3.0"), .init("x-openrosa-deviceid", "dev 1"),
                .init("x-openrosa-commcare-version", "2.53"), .init("Authorization", "Basic x"),
                .init("X-CommCareHQ-LastSyncToken", "token"), .init("Content-Type", "text/xml"),
            ])
        #expect(request.queryText == "")
        device.isDemonstration = true
        device.syncToken = nil
        let demonstration = CommCareRequest.submission(from: device, contentType: "text/xml")
        #expect(demonstration.queryText == "submit_mode=demo&authtype=noauth")
        #expect(header("Authorization", demonstration) == nil)
        #expect(header("X-CommCareHQ-LastSyncToken", demonstration) == nil)
    }

    @Test func `an incremental restore says what the device has`() {
        let hash = CaseStateHash(caseIDs: ["abc123", "123abc"])
        let request = CommCareRequest.restore(from: device, .since(state: hash, days: 3))
        #expect(request.method == "GET")
        #expect(
            request.queryText
                == "version=2.0&device_id=dev%201&user_id=u%261&items=true&since=token"
                + "&state=ccsh%3A409c5c597fa2c2a693b769f0d2ad432b&days_since_last_sync=3")
        #expect(header("X-CommCareHQ-LastSyncToken", request) == "token")
        let empty = CommCareRequest.restore(
            from: device, .since(state: CaseStateHash(digest: nil), days: nil))
        #expect(empty.query.last == .init("state", "ccsh:"))
    }

    @Test func `a full restore has no since, no state and no sync token`() {
        var device = device
        let full = CommCareRequest.restore(from: device, .full, skipsFixtures: true)
        #expect(
            full.queryText
                == "version=2.0&device_id=dev%201&user_id=u%261&items=true&skip_fixtures=true")
        #expect(header("X-CommCareHQ-LastSyncToken", full) == nil)
        device.syncToken = nil
        let first = CommCareRequest.restore(
            from: device, .since(state: CaseStateHash(digest: nil), days: nil))
        #expect(first == CommCareRequest.restore(from: device, .full))
    }

    @Test func `a claim names its case in the body`() {
        let request = CommCareRequest.claim("a b&c", from: device)
        #expect(request.method == "POST")
        #expect(request.queryText == "")
        #expect(request.contentText == "case_id=a%20b%26c")
        #expect(header("Content-Type", request) == "application/x-www-form-urlencoded")
        #expect(header("X-CommCareHQ-LastSyncToken", request) == nil)
    }

    @Test func `a server of OpenRosa gets a date, version 1.0 and no sync token`() {
        let fields: [CommCareRequest.Field] = [
            .init("X-OpenRosa-Version", "1.0"), .init("Date", "Thu, 01 Jan 1970 00:00:09 GMT"),
            .init("Authorization", "Basic x"),
        ]
        let check = CommCareRequest.openRosaCheck(from: device, now: 9)
        #expect(check.method == "HEAD")
        #expect(check.headers == fields)
        #expect(check.queryText == "deviceID=dev%201")
        let request = CommCareRequest.openRosaSubmission(
            from: device, contentType: "text/xml", now: 9)
        #expect(request.method == "POST")
        #expect(request.headers == fields + [.init("Content-Type", "text/xml")])
        #expect(request.query == check.query)
    }

    @Test func `parameters are escaped byte by byte`() {
        let request = CommCareRequest(
            method: "GET", query: [.init("a=b", "é😀~-._ +/"), .init("a=b", "")])
        #expect(request.queryText == "a%3Db=%C3%A9%F0%9F%98%80~-._%20%2B%2F&a%3Db=")
    }
}
