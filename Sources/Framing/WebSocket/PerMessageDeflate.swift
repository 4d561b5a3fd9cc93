public import Wire

/// How messages of a WebSocket are compressed, as client and server agreed.
///
/// Source: RFC 7692, section 7.
public struct PerMessageDeflate: Hashable, Sendable {
    /// Whether the server compresses each message independently.
    public var serverNoContextTakeover: Bool
    /// Whether the client compresses each message independently.
    public var clientNoContextTakeover: Bool
    /// Base-2 logarithm of the server's window in bytes, in 8...15.
    public var serverMaxWindowBits: Int
    /// Base-2 logarithm of the client's window in bytes, in 8...15.
    public var clientMaxWindowBits: Int
    /// Names of the other extensions that the response accepts, in order.
    ///
    /// They may change frames in unknown ways.
    public var unknownExtensions: [String]
    /// The error of the parameters; nil where they are valid.
    ///
    /// A client must fail the connection then; a passive decoder decodes what it can.
    public var problem: String?

    /// Parameters with these values.
    public init(
        serverNoContextTakeover: Bool = false, clientNoContextTakeover: Bool = false,
        serverMaxWindowBits: Int = 15, clientMaxWindowBits: Int = 15,
        unknownExtensions: [String] = [], problem: String? = nil
    ) {
        self.serverNoContextTakeover = serverNoContextTakeover
        self.clientNoContextTakeover = clientNoContextTakeover
        self.serverMaxWindowBits = min(max(serverMaxWindowBits, 8), 15)
        self.clientMaxWindowBits = min(max(clientMaxWindowBits, 8), 15)
        self.unknownExtensions = unknownExtensions
        self.problem = problem
    }

    /// The name of the extension.
    public static let name = "permessage-deflate"

    /// Whether a message of `sender` may refer to the messages that `sender` sent before.
    public func takesContextOver(_ sender: Peer) -> Bool {
        sender == .client ? !clientNoContextTakeover : !serverNoContextTakeover
    }

    /// Base-2 logarithm of the window of `sender` in bytes, in 8...15.
    public func windowBits(_ sender: Peer) -> Int {
        sender == .client ? clientMaxWindowBits : serverMaxWindowBits
    }

    /// Reads what a response agrees to.
    ///
    /// - Parameter responseExtensions: The values of all `Sec-WebSocket-Extensions` fields of the
    ///   server's response.
    /// - Returns: The parameters; nil where permessage-deflate is not accepted.
    public static func negotiated(responseExtensions: [String]) -> PerMessageDeflate? {
        let extensions = WebSocketExtension.parse(responseExtensions)
        guard let accepted = extensions.first(where: { $0.name == name }) else { return nil }
        var result = PerMessageDeflate(
            unknownExtensions: extensions.filter { $0.name != name }.map(\.name))
        if extensions.count(where: { $0.name == name }) > 1 {
            result.problem = "permessage-deflate is accepted twice"
        }
        var seen: Set<String> = []
        for parameter in accepted.parameters {
            let isNew = seen.insert(parameter.name).inserted
            if !isNew || !result.apply(parameter, isOffer: false) {
                result.problem = result.problem ?? "parameter \(parameter.name) is not valid"
            }
        }
        return result
    }

    /// Decides what a server of Tapedeck agrees to.
    ///
    /// The first acceptable offer is accepted with its requirements on the server, and nothing
    /// further is required of the client.
    ///
    /// - Parameter requestExtensions: The values of all `Sec-WebSocket-Extensions` fields of the
    ///   client's request.
    /// - Returns: The parameters; nil where no offer can be accepted.
    public static func accepting(requestExtensions: [String]) -> PerMessageDeflate? {
        for offer in WebSocketExtension.parse(requestExtensions) where offer.name == name {
            var result = PerMessageDeflate()
            var seen: Set<String> = []
            let isAcceptable = offer.parameters.allSatisfy {
                seen.insert($0.name).inserted && result.apply($0, isOffer: true)
            }
            if isAcceptable {
                // The client only announces that it supports the parameter.
                result.clientMaxWindowBits = 15
                return result
            }
        }
        return nil
    }

    /// The extension as a server's response names it, with the parameters that are not the default.
    public var fieldValue: String {
        var value = Self.name
        if serverNoContextTakeover { value += "; server_no_context_takeover" }
        if clientNoContextTakeover { value += "; client_no_context_takeover" }
        if serverMaxWindowBits < 15 { value += "; server_max_window_bits=\(serverMaxWindowBits)" }
        if clientMaxWindowBits < 15 { value += "; client_max_window_bits=\(clientMaxWindowBits)" }
        return value
    }

    /// Applies one parameter; false where it is unknown or its value is not valid.
    private mutating func apply(
        _ parameter: WebSocketExtension.Parameter, isOffer: Bool
    ) -> Bool {
        switch (parameter.name, parameter.value) {
        case ("server_no_context_takeover", nil):
            serverNoContextTakeover = true
        case ("client_no_context_takeover", nil):
            clientNoContextTakeover = true
        case ("server_max_window_bits", let value?):
            guard let bits = Self.windowBits(value) else { return false }
            serverMaxWindowBits = bits
        case ("client_max_window_bits", let value?):
            guard let bits = Self.windowBits(value) else { return false }
            clientMaxWindowBits = bits
        case ("client_max_window_bits", nil):
            return isOffer
        default:
            return false
        }
        return true
    }

    /// A decimal number in 8...15 without leading zeros.
    private static func windowBits(_ value: String) -> Int? {
        guard let bits = Int(value), (8...15).contains(bits), value == String(bits) else {
            return nil
        }
        return bits
    }
}
