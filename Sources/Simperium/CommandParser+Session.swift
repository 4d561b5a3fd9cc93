import Notation
import Wire

/// What opens and accompanies a channel: `init`, `auth`, `o`, `log`.
extension CommandParser {
    mutating func initRequest(_ payload: Range<Int>) throws(SimperiumError) -> InitRequest {
        let root = try json(payload, .object)
        var bucket, app, token, clientID, spelled, api: JSONDocument.Node?
        var library, version, username, command: JSONDocument.Node?
        for member in root.members {
            switch member.key.string {
            case "name": take(&bucket, member, "name")
            case "app_id": take(&app, member, "app_id")
            case "token": take(&token, member, "token")
            case "clientid": take(&clientID, member, "clientid")
            case "client_id": take(&spelled, member, "client_id")
            case "api": take(&api, member, "api")
            case "library": take(&library, member, "library")
            case "version": take(&version, member, "version")
            case "username": take(&username, member, "username")
            case "cmd": take(&command, member, "cmd")
            default: note(.unknownField, at: member.key.range.lowerBound)
            }
        }
        if let spelled {
            note(.clientIDSpelling, at: spelled.range.lowerBound)
            clientID = clientID ?? spelled
        }
        let start = root.range.lowerBound
        let required = [
            ("name", bucket), ("app_id", app), ("token", token), ("clientid", clientID),
            ("api", api),
        ]
        for (field, node) in required where node?.isNull ?? true {
            note(.initMissing, field, at: start)
        }
        var request = InitRequest()
        request.bucket = text(bucket, "name")
        request.app = text(app, "app_id")
        request.token = text(token, "token")
        request.clientID = text(clientID, "clientid")
        request.api = text(api, "api")
        request.library = text(library, "library")
        request.version = text(version, "version")
        request.username = text(username, "username")
        request.command = text(command, "cmd")
        request.tokenRange = token?.range
        // Servers take a version 0 for none.
        if request.library?.isEmpty ?? true || Self.isNone(request.version) {
            note(.initWithoutLibrary, at: start)
        }
        if let text = request.api, text != "1.1" {
            note(.initAPI, at: api?.range.lowerBound ?? start)
        }
        check(bucket, .bucketName, most: 64, .bucketName)
        check(app, .appName, most: .max, .appName)
        checkClientID(clientID)
        if let text = request.command, let offset = command?.range.lowerBound {
            request.request = self.request(text, at: offset)
        }
        return request
    }

    private static func isNone(_ version: String?) -> Bool {
        version?.isEmpty ?? true || version == "0"
    }

    /// The request in the `cmd` of an `init`.
    private mutating func request(_ text: String, at offset: Int) -> InitRequest.Request {
        if text.utf8.starts(with: "i:".utf8) {
            return .index(
                IndexRequest(slots: String(Substring(text.utf8.dropFirst(2)))) {
                    note($0, at: offset)
                })
        }
        if text.utf8.starts(with: "cv:".utf8) {
            let cv = String(Substring(text.utf8.dropFirst(3)))
            if cv.isEmpty { note(.cvEmpty, at: offset) }
            checkChangeVersion(cv, at: offset)
            return .changesSince(cv: cv)
        }
        note(.initCommand, at: offset)
        return .other
    }

    mutating func authReply(_ payload: Range<Int>) throws(SimperiumError) -> AuthReply {
        guard first(payload) == 0x7B else {
            let user = try text(payload)
            if user == "expired" {
                note(.authExpired, at: payload.lowerBound)
                return .expired
            }
            if user.isEmpty {
                note(.authEmpty, at: payload.lowerBound)
            } else if (try? JSONDocument.scan(message, in: payload)) != nil {
                note(.authLooksLikeJSON, at: payload.lowerBound)
            }
            return .accepted(user)
        }
        let root = try json(payload, .object)
        var code, message: JSONDocument.Node?
        for member in root.members {
            switch member.key.string {
            case "code": take(&code, member, "code")
            case "msg": take(&message, member, "msg")
            default: note(.unknownField, at: member.key.range.lowerBound)
            }
        }
        if code?.isNull ?? true { note(.authWithoutCode, at: root.range.lowerBound) }
        return .refused(code: errorCode(code), message: text(message, "msg"))
    }

    mutating func options(_ payload: Range<Int>) throws(SimperiumError) -> ChannelOptions {
        let root = try json(payload, .object)
        note(.options, at: 0)
        var exposes, namespace: JSONDocument.Node?
        for member in root.members {
            switch member.key.string {
            case "expose_namespace": take(&exposes, member, "expose_namespace")
            case "namespace": take(&namespace, member, "namespace")
            default: note(.unknownField, at: member.key.range.lowerBound)
            }
        }
        return ChannelOptions(
            exposesNamespace: boolean(exposes, "expose_namespace"),
            namespace: text(namespace, "namespace"))
    }

    mutating func log(
        _ hasPayload: Bool, _ payload: Range<Int>
    ) throws(SimperiumError) -> SimperiumBody<Range<Int>> {
        guard hasPayload else { throw .noPayload(offset: payload.lowerBound) }
        if first(payload) == 0x7B {
            if sender != .client { note(.wrongDirection, at: 0) }
            let root = try json(payload, .object)
            var logged, bucket: JSONDocument.Node?
            for member in root.members {
                switch member.key.string {
                case "log": take(&logged, member, "log")
                case "bucket": take(&bucket, member, "bucket")
                default: note(.unknownField, at: member.key.range.lowerBound)
                }
            }
            if logged?.isNull ?? true { note(.logWithoutText, at: root.range.lowerBound) }
            return .log(
                LogMessage(text: text(logged, "log"), bucket: text(bucket, "bucket")))
        }
        if sender != .server { note(.wrongDirection, at: 0) }
        guard let level = integer(payload).flatMap({ Int(exactly: $0) }) else {
            throw .logLevel(offset: payload.lowerBound)
        }
        checkZeros(payload)
        if level > 2 { note(.logLevel, at: payload.lowerBound) }
        return .logLevel(level)
    }
}
