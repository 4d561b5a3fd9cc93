package import Notation

/// Why a request failed: what happened, where, and what to do.
package struct ServedProblem: Error, Hashable {
    /// A place in a text of the request, or in the plan's file.
    package struct Place: Hashable {
        /// From 1.
        package let line: Int
        /// From 1, in Unicode scalars.
        package let column: Int
        /// The line, or the value where it is spread over lines.
        package let text: String
        /// Where in ``text``, in Unicode scalars.
        package let range: Range<Int>

        /// A place with these values.
        package init(line: Int, column: Int, text: String, range: Range<Int>) {
            self.line = line
            self.column = column
            self.text = text
            self.range = range
        }
    }

    /// The status of the answer.
    package let status: Int
    /// A stable code for programs.
    package let code: String
    /// What happened.
    package let message: String
    /// Where; nil where no text is wrong.
    package var place: Place?
    /// What to do.
    package let hint: String
    /// Methods that there are instead.
    package var allowed: [String] = []

    /// A problem with these values.
    package init(
        _ status: Int, _ code: String, _ message: String, place: Place? = nil, hint: String
    ) {
        self.status = status
        self.code = code
        self.message = message
        self.place = place
        self.hint = hint
    }

    /// That nothing answers a request: 404, or 405 where there are other methods.
    ///
    /// - Parameters:
    ///   - method: The method of the request.
    ///   - path: Its path.
    ///   - allowed: The methods that there are at the path.
    package init(nothingFor method: String, _ path: String, allowed: [String]) {
        guard !allowed.isEmpty else {
            self.init(
                404, "no-path", "there is nothing at \(path)",
                hint: "GET /v1/openapi.json describes all paths")
            return
        }
        self.init(
            405, "no-method", "\(path) does not support \(method)",
            hint: "use \(allowed.joined(separator: " or "))")
        self.allowed = allowed
    }

    /// The body of the answer.
    package var json: JSONValue {
        let place: JSONValue =
            if let place {
                .object([
                    ("line", .integer(place.line)), ("column", .integer(place.column)),
                    ("text", .string(place.text)), ("start", .integer(place.range.lowerBound)),
                    ("end", .integer(place.range.upperBound)),
                ])
            } else {
                .null
            }
        return .object([
            (
                "error",
                .object([
                    ("code", .string(code)), ("message", .string(message)), ("place", place),
                    ("hint", .string(hint)),
                ])
            )
        ])
    }
}

extension ServedProblem {
    /// Why a request is rejected.
    ///
    /// - Parameters:
    ///   - problem: What is wrong with it.
    ///   - limits: Those of the server.
    ///   - hint: What to do about a body that is too long.
    package init(
        _ problem: RequestProblem, _ limits: HTTPServer.Limits, long hint: String
    ) {
        switch problem {
        case .malformed:
            self.init(
                400, "bad-request", "this is not an HTTP/1.1 request",
                hint: "use an HTTP client, such as curl")
        case .longHead:
            self.init(
                431, "long-head",
                "a head has at most \(limits.headBytes) bytes and \(limits.headFields) fields",
                hint: "send fewer header fields, or shorter names")
        case .longBody(let limit):
            self.init(
                413, "too-long", "a body has at most \(limit) bytes", hint: hint)
        }
    }

    /// The answer: JSON, which no cache keeps.
    package var answer: ServedAnswer {
        var answer = ServedAnswer(status, json)
        if !allowed.isEmpty {
            answer.fields.append(.init("Allow", allowed.joined(separator: ", ")))
        }
        if status == 401 { answer.fields.append(.init("WWW-Authenticate", "Bearer")) }
        return answer
    }
}

extension ServedAnswer {
    /// An answer in JSON that no cache keeps and no browser takes for something else.
    package init(_ status: Int, _ body: JSONValue?) {
        let fields = [
            ServedRequest.Field("Cache-Control", "no-store"),
            ServedRequest.Field("X-Content-Type-Options", "nosniff"),
        ]
        guard let body else {
            self.init(status, fields: fields)
            return
        }
        self.init(
            status,
            fields: fields + [.init("Content-Type", "application/json; charset=utf-8")],
            body: body.bytes() + [0x0A])
    }
}
