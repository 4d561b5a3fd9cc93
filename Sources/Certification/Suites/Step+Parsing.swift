internal import Notation
internal import Wire

extension Step {
    /// Reads a line of a JSON script; nil where it is none.
    ///
    /// Files are as the line has them.
    public init?(json line: String) {
        guard let json = try? JSONValue(parsing: line), let name = json["step"]?.string else {
            return nil
        }
        let key = json["key"]?.string
        switch name {
        case "set":
            guard let key, let data = json["data"], case .object = data else { return nil }
            self = .set(key: key, data: data.text())
        case "delete":
            guard let key else { return nil }
            self = .delete(key: key)
        case "wait-for":
            guard let key, let data = json["data"] else { return nil }
            if case .null = data {
                self = .waitFor(key: key, data: nil)
            } else {
                self = .waitFor(key: key, data: data.text())
            }
        case "cut": self = .cut
        case "offline": self = .offline
        case "online": self = .online
        case "wait-synced": self = .waitSynced
        case "sockjs": self = .sockJS
        case "submit":
            guard let form = json["form"]?.string else { return nil }
            var files: [String] = []
            if case .array(let elements)? = json["attachments"] {
                files = elements.compactMap(\.string)
            }
            guard let how = Manner(rawValue: json["how"]?.string ?? Manner.usual.rawValue) else {
                return nil
            }
            self = .submit(form: form, attachments: files, how: how)
        case "sync": self = .sync(isAutomatic: json["by"]?.string == "timer")
        case "claim":
            guard let id = json["case"]?.string else { return nil }
            self = .claim(caseID: id)
        case "sign-in":
            guard let user = json["user"]?.string else { return nil }
            self = .signIn(user: user)
        case "move":
            guard let device = json["device"]?.string else { return nil }
            self = .move(device: device)
        case "later":
            guard case .number(let text)? = json["days"], let days = Int(text),
                0...36_500 ~= days
            else { return nil }
            self = .later(days: days)
        case "pause":
            guard case .number(let text)? = json["seconds"], let seconds = Double(text),
                seconds >= 0, seconds < 1e6
            else { return nil }
            self = .pause(seconds)
        default: return nil
        }
    }
}
