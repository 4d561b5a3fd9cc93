import Wire

@testable import Diagnosis

extension HTTPCases {
    static let retries: [RuleCase] = [
        RuleCase(Rules.retryAfterRefusal, .breaks, "the same after 400") { script in
            let id = script.connection(at: 0)
            script.exchange(id, Plain.post, Plain.answer("400 Bad Request"), at: 1)
            script.exchange(id, Plain.post, Plain.answer("400 Bad Request"), at: 1.1)
        },
        RuleCase(Rules.retryAfterRefusal, .behaves, "something else after 400") { script in
            let id = script.connection(at: 0)
            script.exchange(id, Plain.post, Plain.answer("400 Bad Request"), at: 1)
            script.exchange(id, Plain.post("Content-Type: a/b", "other"), Plain.ok, at: 1.1)
        },
        RuleCase(Rules.retryAfterRefusal, .behaves, "the same after a minute, and after 500") {
            script in
            let id = script.connection(at: 0)
            script.exchange(id, Plain.post, Plain.answer("400 Bad Request"), at: 1)
            script.exchange(id, Plain.post, Plain.answer("500 Oh"), at: 61)
            script.exchange(id, Plain.post, Plain.ok, at: 61.5)
        },
        RuleCase(Rules.retryAfterRefusal, .silent, "Tapedeck changes the second") { script in
            let id = script.connection(at: 0)
            script.exchange(id, Plain.post, Plain.answer("400 Bad Request"), at: 1)
            script.rule("=> corrupt sender=client", at: 1.1)
            script.exchange(id, Plain.post, Plain.answer("400 Bad Request"), at: 1.1)
        },
        RuleCase(Rules.retryAfterAnswerBegan, .breaks, "the same after half an answer") { script in
            half(&script)
            script.exchange(script.connection(at: 2), Plain.post, Plain.ok, at: 3)
        },
        RuleCase(
            Rules.retryAfterAnswerBegan, .behaves, "another after half an answer",
            also: ["http.server-short-body"]
        ) { script in
            half(&script)
            script.exchange(
                script.connection(at: 2), Plain.post("Content-Type: a/b", "again"), Plain.ok, at: 3)
        },
        RuleCase(
            Rules.retryAfterAnswerBegan, .silent, "Tapedeck changes the second",
            also: ["http.server-short-body"]
        ) { script in
            half(&script)
            let id = script.connection(at: 2)
            script.rule("=> corrupt sender=client", at: 3)
            script.exchange(id, Plain.post, Plain.ok, at: 3)
        },
    ]
}
