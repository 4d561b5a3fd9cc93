import ArgumentParser
import Faults
import Foundation
import Notation
import Wire

/// Options that select a running proxy.
struct FaultsControl: ParsableArguments {
    @Argument(help: "The trace that is being recorded.", completion: .file())
    var trace: String

    @Option(
        help: ArgumentHelp(
            "Its control interface (default: TRACE.control).", valueName: "path|url"))
    var control: String?

    @Option(
        help: ArgumentHelp(
            "The token that record printed, for a URL; or set TAPEDECK_CONTROL_TOKEN.",
            valueName: "token"))
    var token: String?

    @Flag(help: "Print the answer as JSON.")
    var json = false

    /// Sends a request and prints the answer: as JSON if requested, else as `text` formats it.
    func run(
        _ method: String, _ path: String, _ body: JSONValue? = nil,
        text: (JSONValue) -> String
    ) throws(Failure) {
        let answer = try ask(method, path, body)
        if json {
            if let answer { StandardOutput.write(answer.text() + "\n") }
        } else {
            StandardOutput.write(text(answer ?? .null))
        }
    }

    /// Sends a request; nil where the answer has no body.
    func ask(
        _ method: String, _ path: String, _ body: JSONValue? = nil
    ) throws(Failure) -> JSONValue? {
        try address.ask(method, path, body)
    }

    /// The control interface that is meant.
    var address: ControlAddress {
        ControlAddress(
            place: control ?? "\(trace).control",
            token: token ?? ProcessInfo.processInfo.environment["TAPEDECK_CONTROL_TOKEN"])
    }

    /// Path of a rule, or of something about it.
    static func path(rule: String, _ verb: String? = nil) -> String {
        "/v1/rules/\(PercentEncoding.encode(rule))" + (verb.map { "/\($0)" } ?? "")
    }
}

/// Where the control interface of a running proxy is.
struct ControlAddress: Sendable {
    /// The path of its socket, or its URL.
    let place: String
    /// The token that a URL needs.
    let token: String?

    /// Sends a request; nil where the answer has no body.
    func ask(
        _ method: String, _ path: String, _ body: JSONValue? = nil
    ) throws(Failure) -> JSONValue? {
        let client = try ControlClient(place, token: token)
        let answer = try client.ask(method, path, body?.bytes())
        if answer.status == 204 { return nil }
        guard let document = try? JSONDocument.scan(answer.body) else {
            throw Failure(
                .unavailable,
                "\(place) answers \(answer.status) without JSON; check that it is a tapedeck")
        }
        let value = JSONValue(document.root)
        guard answer.status < 300 else { throw Failure(answer.status, value) }
        return value
    }
}

extension Failure {
    /// The error that a control interface answered.
    init(_ status: Int, _ answer: JSONValue) {
        let error = answer["error"]
        var detail = error?["message"]?.string ?? "the control interface answers \(status)"
        if let hint = Self.hint(error?["code"]?.string ?? "", error?["hint"]?.string) {
            detail += "; \(hint)"
        }
        if let place = error?["place"], let text = place["text"]?.string {
            let start = max(0, Self.number(place["start"]))
            let count = max(1, Self.number(place["end"]) - start)
            detail += "\n  \(text)\n  " + String(repeating: " ", count: start)
            detail += String(repeating: "^", count: count)
        }
        self.init([400, 401, 403, 421, 422].contains(status) ? .usage : .data, detail)
        if error?["code"]?.string == "bad-text" {
            let place = error?["place"]
            mistake = EditableTextError(
                line: Self.place(place?["line"]), column: Self.place(place?["column"]),
                error?["message"]?.string ?? detail)
        }
    }

    /// What to do, in terms of the command line.
    private static func hint(_ code: String, _ hint: String?) -> String? {
        switch code {
        case "no-rule": "tapedeck faults list shows the rules there are"
        case "duplicate-name": "give another name, or change the rule: tapedeck faults change"
        case "no-connection": "tapedeck faults connections shows those that are open"
        case "no-token": "give --token TOKEN, as record printed it"
        case "no-plan-file": "the plan has to be a readable file: record --faults FILE"
        // The place is enough.
        case "bad-rule", "bad-plan": nil
        default: hint
        }
    }

    private static func place(_ value: JSONValue?) -> Int? {
        if case .number(let text) = value { Int(text) } else { nil }
    }

    private static func number(_ value: JSONValue?) -> Int {
        if case .number(let text) = value { Int(text) ?? 0 } else { 0 }
    }
}
