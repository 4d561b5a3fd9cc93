internal import Notation
internal import OpenRosa
internal import Simperium
internal import Wire

/// Makes the request that is sent of the recorded one.
struct HTTPPlayPlan {
    /// The recorded exchange.
    let exchange: RecordedExchange
    /// What was recorded of it.
    let recording: HTTPRecording
    /// How to play.
    let options: HTTPPlayOptions
    /// The API of the request, where it is one of CommCare or OpenRosa.
    let api: OpenRosaAPI?

    /// Header fields that belong to one connection (RFC 9110, 7.6.1), or that are rewritten.
    static let ownFields: Set<String> = [
        "host", "connection", "keep-alive", "proxy-connection", "proxy-authorization", "te",
        "trailer", "transfer-encoding", "upgrade", "content-length",
    ]

    init(_ exchange: RecordedExchange, _ recording: HTTPRecording, _ options: HTTPPlayOptions) {
        self.exchange = exchange
        self.recording = recording
        self.options = options
        api = OpenRosaEndpoint.recognise(
            method: exchange.method, path: exchange.path, query: exchange.query)
    }

    /// The sync token that the recorded request continues from.
    var since: String? {
        guard api?.group == .sync else { return nil }
        return exchange.query.flatMap { QueryText($0)["since"] }
    }

    /// The recorded request, byte for byte but for what belongs to one connection.
    func verbatim() -> HTTPPlayRequest {
        var request = HTTPPlayRequest(
            method: exchange.method, host: exchange.host, path: exchange.path,
            query: exchange.query, fields: keptFields(),
            body: recording.sentBody ?? recording.request.body
        ).chunked(isChunked)
        if recording.sentBody == nil, isCompressed {
            request.isCompressed = true
            request.fields.removeAll { $0.name.lowercased() == "content-encoding" }
        }
        return request
    }

    /// The request with the names, tokens and credentials of this run.
    ///
    /// - Parameters:
    ///   - identity: What things are called in this run; forms get new identifiers.
    ///   - cases: What devices have; a form changes it.
    ///   - isFull: Whether it is a full restore, not an incremental one.
    /// - Returns: What to send.
    func request(
        _ identity: inout ReplayIdentity, _ cases: inout HTTPDeviceCases, isFull: Bool = false
    ) -> HTTPPlayRequest {
        name(&identity)
        var request = HTTPPlayRequest(
            method: exchange.method, host: exchange.host, path: path(identity),
            query: query(identity, cases, isFull: isFull), body: body(identity)
        ).chunked(isChunked)
        request.isCompressed = isCompressed
        for field in keptFields() {
            let name = field.name.lowercased()
            if name == "content-encoding" || name == "expect" { continue }
            if isFull, name == "x-commcarehq-lastsynctoken" { continue }
            guard let value = value(of: name, field.value, &identity, &request) else { continue }
            request.fields.append(ReplayMessage.Field(field.name, value))
        }
        return request
    }

    private var isChunked: Bool {
        recording.request.value("transfer-encoding")?.lowercased().contains("chunked") ?? false
    }

    private var isCompressed: Bool {
        recording.request.value("content-encoding")?.lowercased().contains("gzip") ?? false
    }

    private func keptFields() -> [ReplayMessage.Field] {
        let named = recording.request.value("connection")?.lowercased().split(separator: ",") ?? []
        let dropped = Self.ownFields.union(named.map { HeaderText.trimmed($0) })
        return recording.request.fields.filter { !dropped.contains($0.name.lowercased()) }
    }

    // MARK: Names

    /// Synthesizes what is new in each run: of forms the instance, and where clients are to be
    /// distinct the device and the cases and objects that the session creates.
    private func name(_ identity: inout ReplayIdentity) {
        if let query = exchange.query.map(QueryText.init) {
            for name in ["ccid", "clientid"] {
                guard let value = query[name], !value.isEmpty else { continue }
                _ = identity.fresh(name == "ccid" ? .ccid : .clientID, for: value)
            }
            if options.isDistinct {
                for name in ["device_id", "deviceID"] {
                    guard let value = query[name], !value.isEmpty else { continue }
                    _ = identity.fresh(.deviceID, for: value)
                }
            }
        }
        if options.isDistinct, let device = recording.request.value("x-openrosa-deviceid") {
            _ = identity.fresh(.deviceID, for: device)
        }
        for form in forms(in: recording.request.body) {
            for event in form {
                switch event {
                case .meta(let meta):
                    if let id = meta.instanceID, !id.isEmpty {
                        _ = identity.fresh(.instanceID, for: id)
                    }
                    if options.isDistinct, let id = meta.deviceID, !id.isEmpty {
                        _ = identity.fresh(.deviceID, for: id)
                    }
                case .caseBlock(let block) where options.isDistinct && block.create != nil:
                    guard let id = block.caseID, !id.isEmpty else { continue }
                    _ = identity.fresh(.caseID, for: id)
                default: continue
                }
            }
        }
        guard options.isDistinct, exchange.method == "POST", let object = HTTPObjectPath(exchange),
            object.version == nil,
            recording.response?.value("x-simperium-version") == "1"
        else { return }
        _ = identity.fresh(.objectKey, for: object.key)
    }

    /// The forms that a submission holds, read.
    func forms(in body: [UInt8]) -> [[CommCareEvent]] {
        guard exchange.method == "POST", api?.group == .submission else { return [] }
        let type = recording.request.value("content-type") ?? ""
        var documents: [[UInt8]] = []
        if HeaderText.mediaType(type).hasPrefix("multipart/") {
            guard let boundary = HeaderText.parameter("boundary", of: type),
                let multipart = MultipartBody(body, boundary: boundary)
            else { return [] }
            for part in multipart.parts.prefix(64) {
                let name = HeaderText.parameter(
                    "name", of: part.value("content-disposition") ?? "")
                guard name == SubmissionPart.formName else { continue }
                documents.append(Array(body[part.content]))
            }
        } else if HeaderText.mediaType(type).hasSuffix("xml") || body.first == 0x3C {
            documents = [body]
        }
        return documents.map { CommCareReader.read($0, purpose: .submission).events }
    }

    // MARK: Target

    private func path(_ identity: ReplayIdentity) -> String {
        if var object = HTTPObjectPath(exchange) {
            if let version = object.version,
                let live = identity.live(.version, "\(object.name)/\(version)")
            {
                object.version = live.split(separator: "/").last.map(String.init)
            }
            object.key = identity.live(.objectKey, object.key) ?? object.key
            return object == HTTPObjectPath(exchange) ? exchange.path : object.path
        }
        let segments = exchange.path.split(separator: "/", omittingEmptySubsequences: false)
        return segments.map { segment in
            let name = String(decoding: PercentEncoding.decode(segment.utf8), as: UTF8.self)
            let live = identity.translated(name)
            return live == name ? String(segment) : PercentEncoding.encode(live)
        }.joined(separator: "/")
    }

    private func query(
        _ identity: ReplayIdentity, _ cases: HTTPDeviceCases, isFull: Bool
    ) -> String? {
        guard let query = exchange.query else { return nil }
        var pieces = QueryText(query)
        let since = since
        if isFull { pieces.remove(["since", "state", "days_since_last_sync"]) }
        pieces.map { name, value in
            switch name {
            case "since":
                return identity.live(.syncToken, value) ?? identity.live(.changeVersion, value)
                    ?? value
            case "cv": return identity.live(.changeVersion, value) ?? value
            case "state":
                let state = since.flatMap {
                    cases.state(for: value, token: $0, host: exchange.host)
                }
                return state ?? value
            case "access_token", "token":
                return identity.live(.token, value) ?? options.token ?? value
            case "username": return identity.live(.user, value) ?? value
            default: return identity.translated(value)
            }
        }
        return pieces.text
    }

    // MARK: Content

    private func body(_ identity: ReplayIdentity) -> [UInt8] {
        let body = recording.request.body
        if let login = loggedIn(body) { return login }
        return identity.translated(body) ?? body
    }

    /// A sign-in body with the login of this run; nil for another body.
    private func loggedIn(_ body: [UInt8]) -> [UInt8]? {
        guard exchange.method == "POST", body.count < 1 << 16 else { return nil }
        if case .object(var object)? = try? JSONValue(
            parsing: String(decoding: body, as: UTF8.self))
        {
            guard let user = object["username"]?.string, object["password"]?.string != nil,
                let login = options.login(user)
            else { return nil }
            for place in object.members.indices {
                switch object.members[place].key.string {
                case "username": object.members[place].value = .string(login.user)
                case "password": object.members[place].value = .string(login.password)
                default: continue
                }
            }
            return JSONValue.object(object).bytes()
        }
        let type = recording.request.value("content-type").map(HeaderText.mediaType)
        guard type == "application/x-www-form-urlencoded" else { return nil }
        var pieces = QueryText(String(decoding: body, as: UTF8.self))
        guard let user = pieces["username"], pieces["password"] != nil,
            let login = options.login(user)
        else { return nil }
        pieces.map { name, value in
            switch name {
            case "username": login.user
            case "password": login.password
            default: value
            }
        }
        return Array(pieces.text.utf8)
    }

    // MARK: Header fields

    private func value(
        of name: String, _ value: String, _ identity: inout ReplayIdentity,
        _ request: inout HTTPPlayRequest
    ) -> String? {
        switch name {
        case "x-commcarehq-lastsynctoken": return identity.live(.syncToken, value) ?? value
        case "authorization": return authorization(value, &identity, &request)
        case "x-simperium-token": return identity.live(.token, value) ?? options.token ?? value
        case "cookie":
            return value.split(separator: ";").map { pair in
                let pair = HeaderText.trimmed(pair)
                return identity.live(.cookie, pair) ?? identity.translated(pair)
            }.joined(separator: "; ")
        case "if-none-match", "if-match", "if-modified-since", "if-unmodified-since":
            return identity.live(.validator, value) ?? value
        case "origin", "referer":
            return HTTPOrigins(exchange.host, recording, options.origin).replace(in: value) ?? value
        default: return identity.translated(value)
        }
    }

    private func authorization(
        _ value: String, _ identity: inout ReplayIdentity, _ request: inout HTTPPlayRequest
    ) -> String? {
        let header = HTTPAuthorization(value)
        let login = options.login(header.user)
        if let login, let user = header.user {
            identity.bind(.user, recorded: user, live: login.user)
            // In documents, user names are without the project that is part of the login.
            let bare = user.prefix { $0 != "@" }
            let liveBare = login.user.prefix { $0 != "@" }
            if bare != user[...], !bare.isEmpty, !liveBare.isEmpty {
                identity.bind(.user, recorded: String(bare), live: String(liveBare))
            }
        }
        switch header.scheme {
        case "basic":
            guard let login else { return value }
            return BasicCredentials(user: login.user, password: login.password).authorization
        case "digest":
            // A recorded response to a challenge is of no use with another one.
            request.login = login
            return nil
        case "apikey":
            guard let login else { return identity.translated(value) }
            return "ApiKey \(login.user):\(login.password)"
        case "bearer", "token":
            let token = header.rest
            return value.prefix(header.scheme.count + 1)
                + (identity.live(.token, token) ?? options.token ?? token)
        default: return identity.translated(value)
        }
    }
}

extension HTTPPlayRequest {
    fileprivate func chunked(_ isChunked: Bool) -> HTTPPlayRequest {
        var request = self
        request.isChunked = isChunked && !body.isEmpty
        return request
    }
}
