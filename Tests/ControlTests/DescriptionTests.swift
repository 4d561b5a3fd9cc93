import Faults
import Foundation
import Notation
import Synchronization
import Testing
import Wire

@testable import Control

@Suite struct DescriptionTests {
    /// An operation of the description.
    struct Operation: CustomStringConvertible {
        let method: String
        let path: String
        let value: JSONValue
        /// What stands for `{name}`.
        var name = ""
        var description: String { "\(method) \(path)" }
    }

    static let operations: [Operation] = {
        guard case .object(let paths) = OpenAPI.document["paths"] else { return [] }
        return paths.members.flatMap { path -> [Operation] in
            guard case .object(let item) = path.value else { return [] }
            var name = ""
            if case .array(let parameters) = path.value["parameters"] {
                name = parameters.first?["example"]?.string ?? ""
            }
            return item.members.filter { $0.key.string != "parameters" }.map {
                Operation(
                    method: $0.key.string.uppercased(), path: path.key.string, value: $0.value,
                    name: name)
            }
        }
    }()

    @Test func `describes every route and none besides`() {
        let described = Self.operations.map { "\($0.method) \($0.path) \(id($0))" }
        let routes = ControlRoute.allCases.map { "\($0.method) \($0.path) \($0.rawValue)" }
        #expect(described.sorted() == routes.sorted())
    }

    private func id(_ operation: Operation) -> String {
        operation.value["operationId"]?.string ?? ""
    }

    @Test(arguments: operations)
    func `has examples that fit their schemas`(operation: Operation) throws {
        let bodies = SchemaCheck.contents(operation.value["requestBody"])
        let answers = SchemaCheck.members(operation.value["responses"]).flatMap {
            SchemaCheck.contents(SchemaCheck.resolved($0.value))
        }
        let isEmptyAnswer = ["removeRule", "description", "decide", "removeHolder"].contains(
            id(operation))
        #expect(isEmptyAnswer || !answers.isEmpty)
        for content in bodies + answers {
            for example in SchemaCheck.examples(content) {
                #expect(SchemaCheck.complaint(example, content["schema"] ?? .null) == nil)
            }
        }
    }

    /// Every operation is asked what its examples say, in an order in which that can be answered.
    @Test func `is answered as it describes`() async throws {
        let fixture = try ControlFixture("rules: ['=> latency 1s name=no-history']")
        fixture.connect()
        fixture.open.withLock { open in
            open = open.map {
                ControlConnection(
                    id: ConnectionID($0.id.rawValue + 2), client: $0.client, server: $0.server,
                    openedAt: $0.openedAt, isWebSocket: $0.isWebSocket)
            }
        }
        try Data("rules: ['=> latency 1s name=no-history']".utf8)
            .write(to: URL(fileURLWithPath: fixture.plan))
        var configuration = fixture.configuration()
        configuration.planFiles = ControlConfiguration.PlanFiles([fixture.plan]) {
            plans throws(FaultPlanError) in plans[0]
        }
        try fixture.hold()
        let first = ["addHolder", "renewHolder", "removeHolder"]
        let last = ["removeRule", "addRule"]
        func named(_ names: [String]) -> [Operation] {
            names.flatMap { name in Self.operations.filter { id($0) == name } }
        }
        let ordered =
            named(first) + Self.operations.filter { !(first + last).contains(id($0)) }
            + named(last)
        try await fixture.run(configuration) { client, _ in
            for operation in ordered {
                let path = operation.path.replacingOccurrences(of: "{name}", with: operation.name)
                let bodies = SchemaCheck.contents(operation.value["requestBody"])
                let body = bodies.first.flatMap { SchemaCheck.examples($0).first }?.text()
                let answer = try await client.ask(operation.method, path, body)
                let described = try #require(
                    operation.value["responses"]?["\(answer.status)"],
                    "\(operation): \(String(decoding: answer.body, as: UTF8.self))")
                #expect(answer.status < 300, "\(operation)")
                guard let content = SchemaCheck.contents(described).first else { continue }
                let schema = try #require(content["schema"])
                #expect(SchemaCheck.complaint(try answer.json, schema) == nil, "\(operation)")
            }
            for (path, body) in [
                ("/v1/rules", #"{"rule":"x"}"#), ("/v1/fire", #"{"action":"drop"}"#),
                ("/v1/nothing", "{}"), ("/v1/rules", "{"),
            ] {
                let answer = try await client.ask("POST", path, body)
                let schema = try #require(
                    OpenAPI.document["components"]?["schemas"]?["Error"])
                #expect(SchemaCheck.complaint(try answer.json, schema) == nil)
            }
        }
    }
}
