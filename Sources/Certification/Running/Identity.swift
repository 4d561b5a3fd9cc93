/// The identity of the client under test.
///
/// None of it is secret: the server lives for one scenario.
public enum Identity {
    /// Name of the CommCare user.
    public static let user = "ann"
    /// Identifier of the CommCare user, who owns the cases.
    public static let userID = "a11ce0000000000000000000000a11ce"
    /// Name of another CommCare user, who signs in on the same device.
    public static let otherUser = "bob"
    /// Identifier of the other CommCare user.
    public static let otherUserID = "b0b00000000000000000000000000b0b"
    /// Name of the Simperium user.
    public static let address = "ann@example.org"
    /// The password of all users.
    public static let password = "certify-me"
    /// The Simperium user's access token.
    public static let token = "0123456789abcdef0123456789abcdef"

    /// The cookie that the server sets if a scenario requires one.
    public static let cookie = "certify=0123456789abcdef"

    /// The environment of the client under test.
    ///
    /// - Parameters:
    ///   - suite: The suite.
    ///   - app: The application or project.
    ///   - host: Where the proxy listens.
    ///   - port: Its port.
    /// - Returns: Values by name.
    public static func environment(
        _ suite: Suite.Name, app: String, host: String, port: Int
    ) -> [String: String] {
        let name = host.contains(":") ? "[\(host)]" : host
        let url = "http://\(name):\(port)"
        var all = ["TAPEDECK_URL": url, "TAPEDECK_APP": app, "TAPEDECK_PASSWORD": password]
        switch suite {
        case .simperium:
            all["TAPEDECK_SOCKJS_URL"] = "\(url)/sock/1/\(app)"
            all["TAPEDECK_SOCKET_URL"] = "ws://\(name):\(port)/sock/1/\(app)/websocket"
            all["TAPEDECK_BUCKET"] = Suite.bucket
            all["TAPEDECK_TOKEN"] = token
            all["TAPEDECK_USER"] = address
        case .commcare:
            all["TAPEDECK_USER"] = user
            all["TAPEDECK_OTHER_USER"] = otherUser
            all["TAPEDECK_OPENROSA_URL"] = "\(url)/a/\(app)"
            all["TAPEDECK_DOMAIN"] = app
        }
        return all
    }
}
