internal import Diagnosis
internal import Notation
internal import Wire

extension CertificationReport {
    /// The report as one self-contained HTML page.
    ///
    /// - Parameter link: The link to the trace of a scenario, relative to the page.
    /// - Returns: A document.
    public func html(link: (_ trace: String) -> String) -> String {
        let title = "\(suite.name == .simperium ? "Simperium" : "CommCare") certification"
        var output = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; \
            style-src 'unsafe-inline'; script-src 'unsafe-inline'">
            <title>\(title): \(Markup.escaped(client))</title>
            <style>
            \(ReportStyle.css)
            </style>
            </head>
            <body>
            <main>
            <h1>\(title)</h1>
            <div class="meta"><span>\(Markup.escaped(client))</span>\
            <span>\(Markup.escaped(date))</span><span>tapedeck \(Markup.escaped(version))</span>\
            <span>\(played.count) \(played.count == 1 ? "scenario" : "scenarios") in \(Self.duration(seconds))</span></div>

            """
        output += banner
        if !failedScenarios.isEmpty { output += "<h2>Scenarios that were not passed</h2>\n" }
        for scenario in failedScenarios { output += page(scenario, link) }
        output += tools
        for section in sections {
            output += "<section data-group><h2>\(Markup.escaped(section.topic.title))</h2>\n"
            for result in section.results where result.verdict != .passed {
                output += page(result, link)
            }
            let passed = section.results(.passed).map { page($0, link) }
            output += Self.folded("\(passed.count) passed", passed) + "</section>\n"
        }
        let passed = played.filter(\.isPassed)
        if !passed.isEmpty { output += "<h2>Scenarios that were passed</h2>\n" }
        output += Self.folded("\(passed.count) passed", passed.map { page($0, link) })
        return output + "</main>\n<script>\n\(ReportStyle.script)\n</script>\n</body>\n</html>\n"
    }

    private var banner: String {
        let failed = results(.failed).count
        let missing = results(.notExercised).count
        let undone = failedScenarios.count
        let text: String
        if !hasClient {
            text = "The client never connected"
        } else if isPassed {
            text = "No rule was broken, and every scenario was passed"
        } else {
            let parts = [
                undone > 0
                    ? "\(undone) of \(played.count) scenario\(played.count == 1 ? "" : "s") not passed"
                    : nil,
                failed > 0
                    ? "\(failed) of \(results.count) rule\(results.count == 1 ? "" : "s") broken"
                    : nil,
                missed.isEmpty
                    ? nil : "\(missed.count) rule\(missed.count == 1 ? "" : "s") not exercised",
            ]
            text = parts.compactMap { $0 }.joined(separator: ", ")
        }
        let spans = Verdict.allCases.map { verdict in
            let count = results(verdict).count
            guard count > 0 else { return "" }
            return "<span class=\"\(Self.style(verdict))\" style=\"flex: \(count)\" "
                + "title=\"\(count) \(verdict.rawValue)\"></span>"
        }.joined()
        return """
            <div class="verdict \(isPassed && hasClient ? "passed" : "failed")">\(text)</div>
            <div class="bar">\(spans)</div>
            <p class="soft">\(results(.passed).count) passed, \(failed) failed, \(missing) not \
            exercised</p>

            """
    }

    private var tools: String {
        let buttons =
            [("all", "All \(results.count)")]
            + Verdict.allCases.map { verdict in
                let name = verdict.rawValue.prefix(1).uppercased() + verdict.rawValue.dropFirst()
                return (Self.style(verdict), "\(name) \(results(verdict).count)")
            }
        return "<div class=\"tools\">"
            + buttons.map { "<button type=\"button\" data-show=\"\($0)\">\($1)</button>" }.joined()
            + "<input type=\"search\" placeholder=\"Search rules and evidence\" "
            + "aria-label=\"Search\"></div>\n"
    }

    /// Parts that are shown when the reader opens the line.
    private static func folded(_ title: String, _ parts: [String]) -> String {
        guard !parts.isEmpty else { return "" }
        return "<details class=\"fold\" data-fold><summary>\(title)</summary>\n"
            + parts.joined() + "</details>\n"
    }

    private static func style(_ verdict: Verdict) -> String {
        verdict == .notExercised ? "missing" : verdict.rawValue
    }

    private func page(_ result: CaseResult, _ link: (String) -> String) -> String {
        let rule = result.case.rule
        var output = "<details data-verdict=\"\(Self.style(result.verdict))\""
        output += result.verdict == .failed ? " open>" : ">"
        output += "<summary><span class=\"badge \(Self.style(result.verdict))\">"
        output += "\(result.verdict.rawValue)</span><span>\(Markup.escaped(rule.title))<br>"
        output += "<span class=\"id\">\(Markup.escaped(rule.id))</span></span>"
        let severity = result.verdict == .failed ? result.severity.rawValue : ""
        output += "<span class=\"severity\">\(severity)</span></summary>\n"
        output += "<div class=\"inside\">\n"
        for breach in result.breaches.prefix(20) { output += Self.page(breach, link) }
        if result.breaches.count > 20 {
            output += "<p class=\"soft\">and \(result.breaches.count - 20) more</p>\n"
        }
        if result.verdict == .notExercised {
            output += "<p>\(Markup.escaped(result.reason))</p>\n"
        }
        if result.verdict == .passed {
            output += "<p class=\"soft\">What was seen:</p><ul>\n"
            for one in result.evidence.prefix(12) {
                let row = one.row.map { ", \($0)" } ?? ""
                output += "<li>\(Markup.escaped(one.detail + row)) "
                output += "<span class=\"soft\">in \(Markup.escaped(one.scenario))</span></li>\n"
            }
            output += "</ul>\n"
        }
        output += "<dl><dt>source</dt><dd>\(Markup.escaped(rule.source))</dd>"
        output += "<dt>follows</dt><dd>\(Markup.escaped(rule.follows))</dd>"
        output += "<dt>silent when</dt><dd>\(Markup.escaped(rule.silent))</dd></dl>\n"
        return output + "</div></details>\n"
    }

    private static func page(_ breach: CaseResult.Breach, _ link: (String) -> String) -> String {
        let finding = breach.finding
        let times = finding.times > 1 ? " (\(finding.times) times)" : ""
        var output = "<div class=\"breach\"><p class=\"says\">"
        output += Markup.escaped(finding.detail + times) + "</p>\n<ol class=\"steps\">\n"
        for step in finding.steps {
            let time = "\(Double(step.at.nanoseconds / 1_000_000) / 1_000) s"
            let row = step.row.map { "\(time), \($0)" } ?? time
            output += "<li><span class=\"row\">\(row)</span>"
            output += "<span class=\"what\">\(Markup.escaped(step.detail))</span>"
            if !step.quote.isEmpty { output += "<code>\(Markup.escaped(step.quote))</code>" }
            output += "</li>\n"
        }
        output += "</ol><dl><dt>expected</dt><dd>\(Markup.escaped(finding.expected))</dd>"
        if let cause = finding.cause {
            output += "<dt>likely cause</dt><dd>\(Markup.escaped(cause))</dd>"
        }
        output += "<dt>scenario</dt><dd>\(Markup.escaped(breach.scenario)), "
        return output + anchor(breach.trace, link) + "</dd></dl></div>\n"
    }

    private func page(_ played: Played, _ link: (String) -> String) -> String {
        let scenario = played.scenario
        var output = "<details\(played.isPassed ? "" : " open")>"
        output += "<summary><span class=\"id\">\(Markup.escaped(scenario.id))</span>"
        output += "<span>\(Markup.escaped(scenario.title))</span>"
        output += "<span class=\"severity\">\(Self.duration(played.seconds))</span></summary>\n"
        output += "<div class=\"inside\"><p>\(Markup.escaped(scenario.asks))</p><dl>"
        if let problem = played.problem {
            output += "<dt>problem</dt><dd>\(Markup.escaped(problem))</dd>"
        }
        for failure in played.failures {
            output += "<dt>\(failure.kind.rawValue)</dt><dd>\(Markup.escaped(failure.detail))</dd>"
        }
        for fault in scenario.faults {
            output += "<dt>fault</dt><dd><code>\(Markup.escaped(fault))</code></dd>"
        }
        for situation in scenario.situations {
            for seen in played.seen[situation.id] ?? [] {
                let row = seen.row.map { " (\($0))" } ?? ""
                output += "<dt>\(seen.isThere ? "seen" : "not seen")</dt>"
                output += "<dd>\(Markup.escaped(seen.expectation.detail + row))</dd>"
            }
        }
        output += "<dt>client</dt><dd>\(Markup.escaped(played.ending))</dd>"
        output += "<dt>trace</dt><dd>\(Self.anchor(played.trace, link))</dd></dl></div></details>\n"
        return output
    }

    private static func anchor(_ trace: String, _ link: (String) -> String) -> String {
        let place = Markup.escaped(link(trace))
        return "<a href=\"\(place)\">\(place)</a>"
    }
}
