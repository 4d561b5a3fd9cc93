package import Framing
import OpenRosa
import Simperium

/// Determines the API of an exchange.
package enum API {
    /// The name for a request, by its method and target alone; `isUpgrade` where it requests a
    /// WebSocket.
    package static func name(
        method: String, host: String, path: String, query: String?, isUpgrade: Bool
    ) -> String {
        if method == "CONNECT" { return "connect" }
        if let simperium = SimperiumEndpoint.api(host: host, path: path) {
            return simperium == "simperium.socket" && !isUpgrade ? "simperium.http" : simperium
        }
        if let rosa = OpenRosaEndpoint.recognise(method: method, path: path, query: query) {
            return rosa.rawValue
        }
        return isUpgrade ? "websocket" : "http"
    }

    /// Whether it is one of those whose contents are XML.
    static func isOpenRosa(_ api: String) -> Bool {
        // Nearly all others differ in the first byte.
        guard let first = api.utf8.first, first == 0x63 || first == 0x6F else { return false }
        return api.hasPrefix("commcare.") || api.hasPrefix("openrosa.")
    }
}

extension HTTPHead {
    /// Whether a request requests a WebSocket (RFC 6455, 4.1), and not for another protocol such as
    /// `h2c`.
    package var asksForWebSocket: Bool {
        contains(token: "upgrade", in: "connection") && contains(token: "websocket", in: "upgrade")
    }
}
