internal import Diagnosis

extension CertificationReport {
    /// The results about one topic.
    struct Section {
        /// The topic.
        let topic: RuleTopic
        /// Its results: failed ones first, then those that were not exercised.
        let results: [CaseResult]

        /// The results with this verdict, in order.
        func results(_ verdict: Verdict) -> [CaseResult] {
            results.filter { $0.verdict == verdict }
        }
    }

    /// The results by topic; topics with failures first, then those with cases that were not
    /// exercised though a scenario names them.
    var sections: [Section] {
        func rank(_ result: CaseResult) -> Int {
            switch result.verdict {
            case .failed: 0
            case .notExercised: result.isRequired ? 1 : 2
            case .passed: 3
            }
        }
        let groups = Dictionary(grouping: results) { RuleTopic(of: $0.case.rule) }
        return groups.map { topic, results in
            Section(
                topic: topic,
                results: results.sorted { (rank($0), $0.case.id) < (rank($1), $1.case.id) })
        }.sorted { a, b in
            let (first, second) = (min(2, rank(a.results[0])), min(2, rank(b.results[0])))
            return (first, a.topic.title) < (second, b.topic.title)
        }
    }
}
