public import HTTPLayer
internal import Notation

/// Requests for the HTTP layer and what happens to the program meanwhile, a JSON object a line.
///
///     {"url": "http://127.0.0.1:8000/a", "requestType": "GET", "retryCount": 3, "requestTag": "a"}
///     {"lifecycle": "background", "at": "500ms"}
///     {"backgroundTasks": true}
///
/// The members of a request are the parameters in HTTPLayer/Specification.md, "Requests".
public struct RequestList: Sendable {
    /// One line.
    public struct Step: Sendable {
        /// Nanoseconds since the start before which it is not done; nil for at once.
        public var time: Int64?
        /// What is done.
        public var action: Action
        /// Its line, counted from 1.
        public var line: Int
    }

    /// What a line does.
    public enum Action: Sendable {
        /// Adds a request.
        case add(Request)
        /// The program goes to the background, or comes back.
        case lifecycle(Lifecycle)
        /// Whether requests are sent in the background.
        case backgroundTasks(Bool)
    }

    /// A mistake in a list.
    public struct Problem: Error, Hashable, Sendable {
        /// The line, counted from 1.
        public var line: Int
        /// What is wrong, and how to correct it.
        public var reason: String
    }

    /// The lines in order.
    public private(set) var steps: [Step] = []

    /// Number of requests.
    public var count: Int {
        steps.count { if case .add = $0.action { true } else { false } }
    }

    /// Reads a list.
    ///
    /// - Parameter text: Lines; empty ones and those that begin with `#` are nothing.
    /// - Throws: ``Problem``, for the first mistake.
    public init(parsing text: String) throws(Problem) {
        for (place, line) in StepLine.all(of: text).enumerated() {
            let start = line.first { !$0.isWhitespace }
            guard let start, start != "#" else { continue }
            do throws(Mistake) {
                steps.append(try Self.step(String(line), line: place + 1))
            } catch {
                throw Problem(line: place + 1, reason: error.reason)
            }
        }
    }

    private struct Mistake: Error {
        let reason: String

        init(_ reason: String) { self.reason = reason }
    }

    private static func step(_ text: String, line: Int) throws(Mistake) -> Step {
        let value: JSONValue
        do { value = try JSONValue(parsing: text) } catch {
            throw Mistake("this is not JSON: \(error)")
        }
        guard case .object(let object) = value else {
            throw Mistake("a line is an object, such as {\"url\": \"http://HOST/PATH\"}")
        }
        var members = object.members
        var time: Int64?
        if let index = members.firstIndex(where: { $0.key.string == "at" }) {
            let at = members.remove(at: index).value
            guard let span = at.string.flatMap(StepLine.nanoseconds) else {
                throw Mistake("\"at\" is a time such as \"2s\" or \"500ms\"")
            }
            time = span
        }
        return Step(time: time, action: try action(members), line: line)
    }

    private static func action(_ members: [JSONObject.Member]) throws(Mistake) -> Action {
        guard let first = members.first, members.count == 1, first.key.string != "url" else {
            return .add(try request(members))
        }
        switch (first.key.string, first.value) {
        case ("lifecycle", .string("background")): return .lifecycle(.background)
        case ("lifecycle", .string("foreground")): return .lifecycle(.foreground)
        case ("lifecycle", _):
            throw Mistake("\"lifecycle\" is \"background\" or \"foreground\"")
        case ("backgroundTasks", .bool(let isOn)): return .backgroundTasks(isOn)
        case ("backgroundTasks", _): throw Mistake("\"backgroundTasks\" is true or false")
        default: return .add(try request(members))
        }
    }

    private static func request(_ members: [JSONObject.Member]) throws(Mistake) -> Request {
        guard let url = members.last(where: { $0.key.string == "url" })?.value.string else {
            throw Mistake("a request needs \"url\", a string")
        }
        var request: Request
        do throws(RequestError) { request = try Request(url: url) } catch {
            throw Mistake("\(error)")
        }
        for member in members where member.key.string != "url" { try set(member, of: &request) }
        return request
    }

    private static func set(
        _ member: JSONObject.Member, of request: inout Request
    ) throws(Mistake) {
        switch (member.key.string, member.value) {
        case ("requestType", .string("POST")): request.requestType = .post
        case ("requestType", .string("GET")): request.requestType = .get
        case ("requestType", _): throw Mistake("\"requestType\" is \"POST\" or \"GET\"")
        case ("payload", .object(let object)):
            request.payload = Dictionary(
                object.members.map { ($0.key.string, $0.value) }, uniquingKeysWith: { $1 })
        case ("payload", _): throw Mistake("\"payload\" is an object")
        case ("requestBody", .string(let text)): request.requestBody = .bytes(Array(text.utf8))
        case ("requestBody", _): throw Mistake("\"requestBody\" is a string")
        case ("requestBodyFile", .string(let path)): request.requestBody = .file(path: path)
        case ("requestBodyFile", _): throw Mistake("\"requestBodyFile\" is the name of a file")
        case ("headers", .object(let object)):
            request.headers = []
            for field in object.members {
                guard let value = field.value.string else {
                    throw Mistake("the value of \"headers\", \"\(field.key.string)\" is a string")
                }
                request.headers.append((field.key.string, value))
            }
        case ("headers", _): throw Mistake("\"headers\" is an object of strings")
        case ("compression", .bool(let isOn)): request.compression = isOn
        case ("compression", _): throw Mistake("\"compression\" is true or false")
        case ("retryCount", .number(let text)):
            guard let count = Int(text) else { throw Mistake("\"retryCount\" is 0 to 15") }
            do throws(RequestError) { try request.setRetryCount(count) } catch {
                throw Mistake("\(error)")
            }
        case ("retryCount", _): throw Mistake("\"retryCount\" is 0 to 15")
        case ("priority", .string("Immediate")): request.priority = .immediate
        case ("priority", .string("Normal")): request.priority = .normal
        case ("priority", _): throw Mistake("\"priority\" is \"Immediate\" or \"Normal\"")
        case ("requestTag", .string(let tag)): request.requestTag = tag
        case ("requestTag", _): throw Mistake("\"requestTag\" is a string")
        case (let name, _):
            throw Mistake(
                "there is no \"\(name)\"; a request has url, requestType, payload, requestBody, "
                    + "requestBodyFile, headers, compression, retryCount, priority, requestTag and at"
            )
        }
    }
}
