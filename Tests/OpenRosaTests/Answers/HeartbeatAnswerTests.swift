import Testing

@testable import OpenRosa

@Suite struct HeartbeatTests {
    @Test func `reads what a server answers`() throws {
        let json = #"""
            {"app_id":"é😀","latest_apk_version":{"value":"2.53.1","force":true},
             "latest_ccz_version":{"value":12,"force":"false"},"force_logs":true,
             "disable_background_work":"","other":[1]}
            """#
        let heartbeat = try HeartbeatAnswer(parsing: Array(json.utf8))
        #expect(heartbeat.appID == "é😀")
        #expect(heartbeat.apkVersion == .init("2.53.1", isForced: true))
        #expect(heartbeat.appVersion == .init("12", isForced: false))
        #expect(heartbeat.forcesLogs == true)
        #expect(heartbeat.disablesBackgroundWork == nil)
        #expect(heartbeat.others == ["other"])
        #expect(heartbeat.concerns(appID: "é😀"))
        #expect(!heartbeat.concerns(appID: "e\u{301}😀"))
        #expect(!HeartbeatAnswer().concerns(appID: ""))
        #expect(
            heartbeat.text
                == #"{"app_id":"é😀","latest_apk_version":{"value":"2.53.1","force":true},"#
                + #""latest_ccz_version":{"value":"12","force":false},"force_logs":true}"#)
        var again = heartbeat
        again.others = []
        #expect(try HeartbeatAnswer(parsing: Array(heartbeat.text.utf8)) == again)
    }

    @Test(arguments: ["{}", #"{"latest_apk_version":{}}"#, #"{"latest_ccz_version":null}"#])
    func `an answer may say nothing`(text: String) throws {
        #expect(try HeartbeatAnswer(parsing: Array(text.utf8)) == HeartbeatAnswer())
    }

    @Test(
        arguments: [
            ("", .notAnObject(offset: 0)), ("[]", .notAnObject(offset: 0)),
            (#"{"a":1"#, .notAnObject(offset: 6)),
            (#"{"app_id":1}"#, .wrongKind(key: "app_id", offset: 10)),
            (#"{"force_logs":1}"#, .wrongKind(key: "force_logs", offset: 14)),
            (#"{"latest_apk_version":"2"}"#, .wrongKind(key: "latest_apk_version", offset: 22)),
            (
                #"{"latest_apk_version":{"value":[]}}"#,
                .wrongKind(key: "latest_apk_version.value", offset: 31)
            ),
            (
                #"{"latest_ccz_version":{"value":"1","force":2}}"#,
                .wrongKind(key: "latest_ccz_version.force", offset: 43)
            ),
            ("{}" + String(repeating: " ", count: 1 << 16), .tooLong),
        ] as [(String, HeartbeatAnswer.Problem)])
    func `refuses`(text: String, problem: HeartbeatAnswer.Problem) {
        #expect(throws: problem) { try HeartbeatAnswer(parsing: Array(text.utf8)) }
    }
}
