import Simperium
import Wire

/// A conversation with a server as text, one line each.
///
/// - `open 1 app`, `close 1`: a connection, here 1, and the application of its path (`-` for none).
/// - `join 1 c1`: the same, and an `init` of client `c1` on channel 0 whose `auth` is not shown.
/// - `> 1 0:i::::10`: what a client sends.
/// - `< 1 0:i:…`: what it is told, in order; `<*` where everybody on the bucket is.
///
/// The bucket `notes` of the usual user is at the change version `cv0`, and goes on with `cv1`. A
/// line feed is written `⏎`; empty lines and those that begin with `#` are nothing.
struct ServerPlaybook {
    static let token = "0123456789abcdef0123456789abcdef"
    static let user = "01234567@simperium.invalid"
    static let notes = ServerModel.BucketID(app: "app", account: token, name: "notes")

    /// The `init` of a client with everything that one should send.
    static func initialize(_ client: String, cmd: String? = nil) -> String {
        let cmd = cmd.map { #","cmd":"\#($0)""# } ?? ""
        return #"init:{"name":"notes","clientid":"\#(client)","api":"1.1","token":"\#(token)","#
            + #""app_id":"app","library":"x","version":"1"\#(cmd)}"#
    }

    var server: ServerModel
    var admit: (InitRequest) -> Admission = { Admission.ofAnyToken($0) }

    init(_ options: ServerOptions = ServerOptions()) {
        server = ServerModel(options: options, seed: 1)
        seed(ServerBucket(name: "notes", options: options.bucket, versions: Self.versions))
    }

    /// `cv0` and so on.
    static let versions = ChangeVersions(seed: 1, listed: (0..<2000).map { "cv\($0)" })

    mutating func seed(_ bucket: ServerBucket) { server.put(bucket, as: Self.notes) }

    /// What a client is told after it said something, as lines.
    mutating func say(_ text: String, from session: Int = 1) -> [String] {
        let text = text.replacing("⏎", with: "\n")
        return show(
            server.receive(text: Array(text.utf8), from: SocketID(session), admit: admit))
    }

    func show(_ replies: [ServerReply]) -> [String] {
        replies.flatMap { reply in
            let sign = if case .everyone = reply.receivers { "<*" } else { "<" }
            return reply.messages.map { session, message in
                let text = String(decoding: message.encoded(by: .server), as: UTF8.self)
                return "\(sign) \(session.rawValue) \(text.replacing("\n", with: "⏎"))"
            }
        }
    }

    /// Plays a script, and says where it goes another way.
    mutating func play(_ script: String) -> [String] {
        var differences: [String] = []
        var said: [String] = []
        var line = ""
        func settle() -> [String] { said.map { "\(line): unexpected \($0)" } }
        for next in script.split(separator: "\n").map(String.init) where !next.hasPrefix("#") {
            if next.hasPrefix("<") {
                let got = said.isEmpty ? "nothing" : said.removeFirst()
                if got != next { differences.append("\(line): expected \(next), got \(got)") }
                continue
            }
            differences += settle()
            line = next
            let words = next.split(separator: " ", maxSplits: 2).map(String.init)
            guard words.count > 1, let session = Int(words[1]) else { return ["no line: \(next)"] }
            switch words[0] {
            case "open":
                server.open(SocketID(session), app: words[2] == "-" ? nil : words[2])
                said = []
            case "close":
                server.close(SocketID(session))
                said = []
            case "join":
                server.open(SocketID(session), app: "app")
                _ = say("0:" + Self.initialize(words[2]), from: session)
                said = []
            default: said = say(words[2], from: session)
            }
        }
        return differences + settle()
    }
}

/// Where a script goes another way than it says, with these options.
func play(
    _ script: String, _ change: (inout ServerOptions) -> Void = { _ in }
) -> [String] {
    var options = ServerOptions()
    change(&options)
    var book = ServerPlaybook(options)
    return book.play(script)
}
