internal import Notation

/// The identity of the client under test.
///
/// None of it is secret: the server lives for one scenario. Password and token differ from scenario
/// to scenario where the client is a program, so that what was sent to an earlier one is refused.
public struct Identity: Hashable, Sendable {
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
    public let password: String
    /// The Simperium user's access token.
    public let token: String

    /// The identity for operators, who type the password.
    public static let typed = Identity(
        password: "certify-me", token: "0123456789abcdef0123456789abcdef")

    /// An identity with this password and token.
    public init(password: String, token: String) {
        self.password = password
        self.token = token
    }

    /// An identity that was never used before.
    public static func new(_ random: inout some RandomNumberGenerator) -> Identity {
        func word() -> String {
            (0..<2).map { _ in Hexadecimal.text(random.next(), digits: 16) }.joined()
        }
        return Identity(password: "certify-\(word())", token: word())
    }

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
    public func environment(
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
            all["TAPEDECK_USER"] = Self.address
        case .commcare:
            all["TAPEDECK_USER"] = Self.user
            all["TAPEDECK_OTHER_USER"] = Self.otherUser
            all["TAPEDECK_OPENROSA_URL"] = "\(url)/a/\(app)"
            all["TAPEDECK_DOMAIN"] = app
        }
        return all
    }
}
