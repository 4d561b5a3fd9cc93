internal import Notation
internal import Wire

/// A step of the client under test, or of the second client.
public enum Step: Hashable, Sendable {
    /// Stores an object; `data` is the text of a JSON object.
    case set(key: String, data: String)
    /// Removes an object.
    case delete(key: String)
    /// Breaks the socket without closing it.
    case cut
    /// Closes the socket, and opens none until ``online``.
    case offline
    /// Opens a socket.
    case online
    /// Waits until everything is read and acknowledged.
    case waitSynced
    /// Waits until an object is this JSON; nil for no object.
    case waitFor(key: String, data: String?)
    /// Goes on through SockJS rather than through a plain WebSocket.
    case sockJS
    /// Submits the form of the suite with this name, with attachments.
    case submit(form: String, attachments: [String], how: Manner = .usual)
    /// Sends what waits and restores; by a timer and not by a user where `isAutomatic`.
    case sync(isAutomatic: Bool)
    /// Claims the case of another user, and has it afterwards.
    case claim(caseID: String)
    /// Another user signs in on the device, with the same password.
    case signIn(user: String)
    /// Goes on with the same data on the device of this identifier, as from a backup.
    case move(device: String)
    /// Sets the clock of the device this many days ahead.
    case later(days: Int)
    /// Waits this many seconds.
    case pause(Double)

    /// How a form is submitted.
    public enum Manner: String, Hashable, Sendable, CaseIterable {
        /// To CommCare, by the user who is signed in.
        case usual
        /// In chunks, as a body whose length is not known beforehand.
        case chunked
        /// In the practice mode of an app, without credentials.
        case demo
        /// As to any server of OpenRosa.
        case openRosa = "openrosa"
    }

    /// The key of the object that it stores or removes; nil for any other step.
    public var changedKey: String? {
        switch self {
        case .set(let key, _), .delete(let key): key
        default: nil
        }
    }

    /// As a line of the JSON script.
    ///
    /// - Parameters:
    ///   - bucket: The bucket that objects are of.
    ///   - folder: Where the files of forms and attachments are.
    /// - Returns: A JSON object in one line.
    public func json(bucket: String, folder: String) -> String {
        func member(_ name: String, _ value: JSONValue) -> JSONObject.Member {
            JSONObject.Member(name, value)
        }
        var members: [JSONObject.Member] = []
        func object(_ step: String, _ key: String, _ data: String?) {
            members = [
                member("step", .string(step)), member("bucket", .string(bucket)),
                member("key", .string(key)),
            ]
            guard step != "delete" else { return }
            members.append(
                member("data", data.flatMap { try? JSONValue(parsing: $0) } ?? .null))
        }
        switch self {
        case .set(let key, let data): object("set", key, data)
        case .delete(let key): object("delete", key, nil)
        case .waitFor(let key, let data): object("wait-for", key, data)
        case .cut: members = [member("step", .string("cut"))]
        case .offline: members = [member("step", .string("offline"))]
        case .online: members = [member("step", .string("online"))]
        case .waitSynced: members = [member("step", .string("wait-synced"))]
        case .sockJS: members = [member("step", .string("sockjs"))]
        case .submit(let form, let attachments, let how):
            members = [
                member("step", .string("submit")), member("form", .string("\(folder)/\(form)")),
                member(
                    "attachments", .array(attachments.map { .string("\(folder)/\($0)") })),
            ]
            if how != .usual { members.append(member("how", .string(how.rawValue))) }
        case .sync(let isAutomatic):
            members = [
                member("step", .string("sync")),
                member("by", .string(isAutomatic ? "timer" : "user")),
            ]
        case .claim(let id):
            members = [member("step", .string("claim")), member("case", .string(id))]
        case .signIn(let user):
            members = [member("step", .string("sign-in")), member("user", .string(user))]
        case .move(let device):
            members = [member("step", .string("move")), member("device", .string(device))]
        case .later(let days):
            members = [member("step", .string("later")), member("days", .number(String(days)))]
        case .pause(let seconds):
            members = [
                member("step", .string("pause")), member("seconds", .number(Self.number(seconds))),
            ]
        }
        return JSONValue.object(JSONObject(members)).text()
    }

    /// As a line of a script of `tapedeck client simperium run`; nil where that has no such step.
    public func line(bucket: String) -> String? {
        switch self {
        case .set(let key, let data): "set \(bucket) \(key) \(data)"
        case .delete(let key): "delete \(bucket) \(key)"
        case .waitFor(let key, let data): "wait \(bucket) \(key) \(data ?? "missing")"
        case .cut: "cut"
        case .offline: "offline"
        case .online: "online"
        case .waitSynced: "wait synced"
        case .pause(let seconds): "wait \(Self.number(seconds))s"
        case .sockJS, .submit, .sync, .claim, .signIn, .move, .later: nil
        }
    }

    /// The number without a fraction where it has none.
    static func number(_ value: Double) -> String {
        value == value.rounded() && abs(value) < 1e9 ? String(Int(value)) : String(value)
    }
}
