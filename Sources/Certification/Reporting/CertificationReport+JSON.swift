internal import Diagnosis
public import Notation
import Wire

extension CertificationReport {
    /// The report as one JSON object.
    public var json: JSONValue {
        Self.object([
            ("suite", .string(suite.name.rawValue)), ("client", .string(client)),
            ("date", .string(date)), ("version", .string(version)),
            ("seconds", .number(String((seconds * 1_000).rounded() / 1_000))),
            ("strict", .bool(isStrict)),
            ("passed", .number(String(results(.passed).count))),
            ("failed", .number(String(results(.failed).count))),
            ("not_exercised", .number(String(results(.notExercised).count))),
            ("scenarios_failed", .number(String(failedScenarios.count))),
            ("cases", .array(results.map(Self.json))),
            ("scenarios", .array(played.map(Self.json))),
        ])
    }

    private static func json(_ result: CaseResult) -> JSONValue {
        let rule = result.case.rule
        return object([
            ("case", .string(result.case.id)), ("title", .string(rule.title)),
            ("rule", .string(rule.id)), ("severity", .string(rule.severity.rawValue)),
            ("source", .string(rule.source)), ("verdict", .string(result.verdict.rawValue)),
            ("reason", .string(result.reason)), ("required", .bool(result.isRequired)),
            ("evidence", .array(result.evidence.map(json))),
            ("findings", .array(result.breaches.map(json))),
        ])
    }

    private static func json(_ evidence: CaseResult.Evidence) -> JSONValue {
        object([
            ("scenario", .string(evidence.scenario)), ("message", .string(evidence.detail)),
            ("row", evidence.row.map { .string($0) } ?? .null),
        ])
    }

    private static func json(_ breach: CaseResult.Breach) -> JSONValue {
        let finding = breach.finding
        return object([
            ("scenario", .string(breach.scenario)), ("trace", .string(breach.trace)),
            ("severity", .string(finding.severity.rawValue)), ("message", .string(finding.detail)),
            ("expected", .string(finding.expected)),
            ("cause", finding.cause.map { .string($0) } ?? .null),
            ("times", .number(String(finding.times))),
            (
                "evidence",
                .array(
                    finding.steps.map { step in
                        object([
                            ("at_ns", .number(String(step.at.nanoseconds))),
                            ("row", step.row.map { .string($0) } ?? .null),
                            ("message", .string(step.detail)), ("quote", .string(step.quote)),
                        ])
                    })
            ),
        ])
    }

    private static func json(_ played: Played) -> JSONValue {
        object([
            ("scenario", .string(played.scenario.id)), ("title", .string(played.scenario.title)),
            ("trace", .string(played.trace)),
            ("seconds", .number(String((played.seconds * 1_000).rounded() / 1_000))),
            ("client", .string(played.ending)),
            ("problem", played.problem.map { .string($0) } ?? .null),
            ("passed", .bool(played.isPassed)),
            (
                "failures",
                .array(
                    played.failures.map {
                        object([
                            ("kind", .string($0.kind.rawValue)), ("message", .string($0.detail)),
                        ])
                    })
            ),
            ("faults", .array(played.scenario.faults.map { .string($0) })),
            ("situations", .array(played.scenario.situations.map { json($0, played) })),
        ])
    }

    private static func json(_ situation: Situation, _ played: Played) -> JSONValue {
        let seen = played.seen[situation.id] ?? []
        return object([
            ("situation", .string(situation.id)),
            ("seen", .bool(!seen.isEmpty && seen.allSatisfy(\.isThere))),
            (
                "expectations",
                .array(
                    seen.map {
                        object([
                            ("message", .string($0.expectation.detail)),
                            ("count", .number(String($0.count))), ("seen", .bool($0.isThere)),
                            ("row", $0.row.map { .string($0) } ?? .null),
                        ])
                    })
            ),
        ])
    }

    private static func object(_ members: [(String, JSONValue)]) -> JSONValue {
        .object(JSONObject(members.map { JSONObject.Member($0.0, $0.1) }))
    }
}
