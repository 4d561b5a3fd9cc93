import Crypto
import Notation

/// How a proxy wants its clients to authenticate (RFC 9110, 11.7): one challenge of a `Proxy-Authenticate`.
struct ProxyChallenge: Hashable {
    /// A way to answer that is known here.
    enum Scheme: Hashable {
        /// RFC 7617.
        case basic
        /// RFC 7616 with one of its algorithms.
        case digest(Algorithm)
    }

    /// A hash function of Digest, and whether the key is one of the session.
    enum Algorithm: String, CaseIterable {
        case sha256Session = "sha-256-sess"
        case sha256 = "sha-256"
        case md5Session = "md5-sess"
        case md5

        var isSession: Bool { self == .sha256Session || self == .md5Session }

        /// The hash of a text, in hexadecimal.
        func hash(_ text: String) -> String {
            let bytes = Array(text.utf8)
            switch self {
            case .sha256, .sha256Session: return Hexadecimal.text(SHA256.hash(data: bytes))
            case .md5, .md5Session: return Hexadecimal.text(Insecure.MD5.hash(data: bytes))
            }
        }
    }

    /// The way.
    let scheme: Scheme
    /// Who asks, for people.
    let realm: String
    private let nonce: String
    private let opaque: String?
    private let hasQuality: Bool
    /// Whether the credentials were right and only the nonce was too old.
    let isStale: Bool

    /// The best of the challenges that is known here; nil where none is.
    ///
    /// - Parameter fields: The values of all fields of that name; hostile.
    /// - Returns: Digest before Basic, and the stronger hash first.
    static func best(of fields: [String]) -> ProxyChallenge? {
        let known = fields.flatMap(parse).compactMap(ProxyChallenge.init)
        return known.min { $0.rank < $1.rank }
    }

    private var rank: Int {
        switch scheme {
        case .digest(let algorithm):
            Algorithm.allCases.firstIndex(of: algorithm) ?? Algorithm.allCases.count
        case .basic: Algorithm.allCases.count
        }
    }

    private init?(_ scheme: String, _ parameters: [String: String]) {
        realm = parameters["realm"] ?? ""
        nonce = parameters["nonce"] ?? ""
        opaque = parameters["opaque"]
        isStale = parameters["stale"]?.lowercased() == "true"
        let qualities = parameters["qop"]?.lowercased().split(separator: ",")
            .map { $0.filter { $0 != " " } }
        hasQuality = qualities?.contains("auth") == true
        switch scheme {
        case "basic": self.scheme = .basic
        case "digest":
            guard
                let algorithm = Algorithm(rawValue: parameters["algorithm"]?.lowercased() ?? "md5"),
                !nonce.isEmpty, qualities == nil || hasQuality
            else { return nil }
            self.scheme = .digest(algorithm)
        default: return nil
        }
    }

    /// The value of `Proxy-Authorization` for a request.
    ///
    /// - Parameters:
    ///   - credentials: Who asks.
    ///   - method: Method of the request.
    ///   - target: Its target.
    ///   - count: The number of requests with this challenge, from 1.
    ///   - random: A text that nobody can guess.
    /// - Returns: The scheme, and what answers the challenge.
    func authorization(
        _ credentials: UpstreamProxy.Credentials, method: String, target: String, count: UInt32,
        random: String
    ) -> String {
        guard case .digest(let algorithm) = scheme else { return Self.basic(credentials) }
        var key = algorithm.hash("\(credentials.user):\(realm):\(credentials.password)")
        if algorithm.isSession { key = algorithm.hash("\(key):\(nonce):\(random)") }
        let request = algorithm.hash("\(method):\(target)")
        let nc = Hexadecimal.text(count, digits: 8)
        let response = algorithm.hash(
            hasQuality
                ? "\(key):\(nonce):\(nc):\(random):auth:\(request)" : "\(key):\(nonce):\(request)")
        var value =
            "Digest username=\(Self.quoted(credentials.user)), realm=\(Self.quoted(realm)), "
            + "nonce=\(Self.quoted(nonce)), uri=\(Self.quoted(target)), response=\"\(response)\", "
            + "algorithm=\(algorithm.rawValue.uppercased().replacing("-SESS", with: "-sess"))"
        if hasQuality { value += ", qop=auth, nc=\(nc), cnonce=\"\(random)\"" }
        if let opaque { value += ", opaque=\(Self.quoted(opaque))" }
        return value
    }

    /// The value of `Proxy-Authorization` that needs no challenge.
    static func basic(_ credentials: UpstreamProxy.Credentials) -> String {
        BasicCredentials(user: credentials.user, password: credentials.password).authorization
    }

    private static func quoted(_ text: String) -> String {
        "\"" + text.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    // MARK: Reading

    /// The challenges in one field: a scheme, and parameters separated by commas, which separate
    /// challenges as well (RFC 9110, 11.6.1).
    private static func parse(_ field: String) -> [(String, [String: String])] {
        var found: [(String, [String: String])] = []
        for element in elements(of: field) {
            var rest = element
            let word = rest.prefix { $0 != " " && $0 != "=" }
            let after = rest.dropFirst(word.count)
            if after.first != "=" {
                found.append((word.lowercased(), [:]))
                rest = after.drop { $0 == " " }
                if rest.isEmpty { continue }
            }
            guard !found.isEmpty, let equals = rest.firstIndex(of: "=") else { continue }
            let name = rest[..<equals].filter { $0 != " " }.lowercased()
            let value = rest[rest.index(after: equals)...].drop { $0 == " " }
            found[found.count - 1].1[name] = unquoted(value)
        }
        return found
    }

    /// The parts between commas that are not in quotes, without blanks around them.
    private static func elements(of field: String) -> [Substring] {
        var parts: [Substring] = []
        var start = field.startIndex
        var (isQuoted, isEscaped) = (false, false)
        for index in field.indices {
            let character = field[index]
            if isEscaped {
                isEscaped = false
            } else if isQuoted, character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                isQuoted.toggle()
            } else if character == ",", !isQuoted {
                parts.append(field[start..<index])
                start = field.index(after: index)
            }
        }
        parts.append(field[start...])
        return parts.map { part in
            let part = part.drop { $0 == " " || $0 == "\t" }
            return part.prefix(
                upTo: part.lastIndex { $0 != " " && $0 != "\t" }.map(part.index(after:))
                    ?? part.startIndex)
        }.filter { !$0.isEmpty }
    }

    private static func unquoted(_ value: Substring) -> String {
        guard value.first == "\"" else { return String(value) }
        var text = ""
        var isEscaped = false
        for character in value.dropFirst() {
            if isEscaped {
                text.append(character)
                isEscaped = false
            } else if character == "\\" {
                isEscaped = true
            } else if character == "\"" {
                break
            } else {
                text.append(character)
            }
        }
        return text
    }
}
