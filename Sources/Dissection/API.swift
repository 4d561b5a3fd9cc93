import OpenRosa
import Simperium

/// Says what an exchange is for.
package enum API {
    /// The name for a request, by its method and target alone.
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
}
