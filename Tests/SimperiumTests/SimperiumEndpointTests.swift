import Simperium
import Testing

struct SimperiumEndpointTests {
    @Test(
        arguments: [
            ("/sock/1/abusers-headset-123/websocket", "abusers-headset-123", .webSocket),
            ("/sock/1/app.X_y/websocket?x=1", "app.X_y", .webSocket),
            ("/sock/1/app/042/k3j5h/websocket", "app", .sockJS),
            ("/sock/websocket", nil, .webSocket),
        ] as [(String, String?, SimperiumEndpoint.Transport)])
    func `sockets`(path: String, app: String?, transport: SimperiumEndpoint.Transport) {
        #expect(
            SimperiumEndpoint.recognise(path: path)
                == SimperiumEndpoint(app: app, transport: transport))
        #expect(SimperiumEndpoint.api(host: "127.0.0.1", path: path) == "simperium.socket")
    }

    @Test(arguments: [
        "", "/", "/sock", "/sock/", "/sock/1/app", "/sock/1/app/info", "/sock/2/app/websocket",
        "/sock/1//websocket", "/sock/1/app/websocket/", "sock/1/app/websocket", "/websocket",
        "/sock/1/app///websocket", "/a/sock/1/app/websocket", "/sock/1/app/1/2/3/websocket",
    ])
    func `no sockets`(path: String) {
        #expect(SimperiumEndpoint.recognise(path: path) == nil)
    }

    @Test(
        arguments: [
            ("auth.simperium.com", "/1/app/authorize/", "simperium.auth"),
            ("auth.simperium.com", "/1/app/create/", "simperium.auth"),
            ("auth.simperium.com", "/1/app/reset/", "simperium.auth"),
            ("127.0.0.1", "/1/app/authorize/", "simperium.auth"),
            ("localhost", "/1/app/create", "simperium.auth"),
            ("api.simperium.com", "/1/app/bucket/i/key", "simperium.http"),
            ("api.simperium.com", "/1/app/bucket/index", "simperium.http"),
            ("api.simperium.com", "/1/app/buckets", "simperium.http"),
            ("api.simperium.com", "/sock/1/app/info", "simperium.socket"),
            ("api.simperium.com", "/1/app", nil), ("api.simperium.com", "/", nil),
            ("127.0.0.1", "/1/app/bucket/index", nil), ("notsimperium.com", "/1/a/b/index", nil),
            ("example.com", "/1//authorize/", nil),
        ] as [(String, String, String?)])
    func `what a request is for`(host: String, path: String, api: String?) {
        #expect(SimperiumEndpoint.api(host: host, path: path) == api)
    }
}
