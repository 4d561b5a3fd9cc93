import Testing

@testable import OpenRosa

@Suite struct EndpointTests {
    @Test(
        arguments: [
            ("POST", "/a/demo/receiver/", nil, .commcareSubmit),
            ("POST", "/a/demo/receiver", nil, .commcareSubmit),
            ("POST", "/a/demo/receiver/app1/", nil, .commcareSubmit),
            ("POST", "/receiver/secure/app1", nil, .commcareSubmit),
            ("POST", "/a/demo/receiver/submission", "authtype=noauth", .commcareSubmit),
            ("POST", "/a/demo/receiver/api/", nil, .commcareSubmit),
            ("HEAD", "/a/demo/receiver/submission", nil, .openRosaSubmitCheck),
            ("GET", "/a/demo/receiver/", nil, nil),
            ("POST", "/a/demo/receiver/x/y/z", nil, nil),
            ("GET", "/a/demo/phone/restore/", "version=2.0&items=true", .commcareRestore),
            ("GET", "/phone/restore/app1", nil, .commcareRestore),
            ("POST", "/a/demo/phone/restore/", nil, nil),
            ("GET", "/a/demo/phone/admin_restore/", nil, .commcareAdminRestore),
            ("GET", "/a/demo/phone/search/", nil, .commcareSearch),
            ("POST", "/a/demo/phone/search/app1/", nil, .commcareSearch),
            ("POST", "/a/demo/phone/claim-case/", nil, .commcareClaim),
            ("GET", "/a/demo/phone/heartbeat/b1/", nil, .commcareHeartbeat),
            ("GET", "/a/demo/phone/keys/", nil, .commcareKeys),
            ("GET", "/somewhere", "last_issued=1&device_id=d", .commcareKeys),
            ("GET", "/somewhere", "device_id=d", nil),
            ("GET", "/a/demo/phone/recovery_measures/b1/", nil, .commcareRecovery),
            ("GET", "/a/demo/phone/case_fixture/app1/", nil, .commcareFixture),
            ("GET", "/a/demo/phone/registry_case/app1/", nil, .commcareRegistryCase),
            ("GET", "/a/demo/phone/case_restore/c1/", nil, .commcareCaseRestore),
            ("GET", "/a/demo/phone/get_next_id/", nil, .commcareNextID),
            ("GET", "/a/demo/phone/", nil, nil), ("GET", "/phone/other", nil, nil),
            ("HEAD", "/submission", "deviceID=x", .openRosaSubmitCheck),
            ("POST", "/v1/projects/1/submission/", nil, .openRosaSubmit),
            ("GET", "/formList", nil, .openRosaFormList),
            ("GET", "/u/formList/", "verbose=true", .openRosaFormList),
            ("GET", "/v1/projects/1/forms/a.xml", nil, .openRosaForm),
            ("GET", "/formXml", "formId=a", .openRosaForm),
            ("GET", "/xformsManifest", nil, .openRosaManifest),
            ("GET", "/v1/projects/1/forms/a/manifest", nil, .openRosaManifest),
            ("GET", "/", nil, nil), ("GET", "", nil, nil), ("GET", "/index.html", nil, nil),
            ("BREW", "/receiver", nil, nil),
        ] as [(String, String, String?, OpenRosaAPI?)])
    func `recognises`(method: String, path: String, query: String?, api: OpenRosaAPI?) {
        #expect(OpenRosaEndpoint.recognise(method: method, path: path, query: query) == api)
    }
}
