import Foundation
import FoundationXML
import Reports
import Testing

@Suite struct JUnitReportTests {
    @Test func `is read by a parser of XML as it was meant`() throws {
        let nasty = "a<b>&\"c\"\n\u{1}é"
        let report = JUnitReport(suites: [
            JUnitReport.Suite(
                name: nasty, seconds: 1.23456,
                cases: [
                    .init(group: "g", name: "passed", .passed()),
                    .init(group: "g", name: "said", seconds: "0.5", .passed(output: nasty)),
                    .init(
                        group: nasty, name: "failed",
                        .failed(message: nasty, type: "error", detail: nasty)),
                    .init(
                        group: "g", name: "left", .skipped(message: "not tried"),
                        properties: [("at", nasty), ("rule", "r")]),
                ], output: "all", properties: [("seed", "7")]),
            JUnitReport.Suite(name: "none", cases: []),
        ])
        let document = try XMLDocument(xmlString: report.text)
        let suites = try #require(document.rootElement()?.elements(forName: "testsuite"))
        #expect(suites.map { $0.attribute("tests") } == ["4", "0"])
        #expect(suites.map { $0.attribute("failures") } == ["1", "0"])
        #expect(suites.map { $0.attribute("skipped") } == ["1", "0"])
        #expect(suites.map { $0.attribute("time") } == ["1.235", nil])
        let shown = nasty.replacing("\u{1}", with: "\u{FFFD}")
        #expect(suites[0].attribute("name") == shown)
        let cases = suites[0].elements(forName: "testcase")
        #expect(
            cases.map { $0.children?.map { $0.name ?? "" } ?? [] } == [
                [], ["system-out"], ["failure"], ["properties", "skipped"],
            ])
        #expect(cases[1].stringValue == shown)
        #expect(cases[1].attribute("time") == "0.5")
        let failure = try #require(cases[2].elements(forName: "failure").first)
        #expect(failure.attribute("message") == shown)
        #expect(failure.attribute("type") == "error")
        #expect(failure.stringValue == shown)
        let properties = cases[3].elements(forName: "properties").first?.elements(
            forName: "property")
        #expect(properties?.map { $0.attribute("name") } == ["at", "rule"])
        #expect(properties?.map { $0.attribute("value") } == [shown, "r"])
        #expect(suites[0].children?.first?.name == "properties")
        #expect(suites[0].elements(forName: "system-out").first?.stringValue == "all")
    }
}

extension XMLElement {
    fileprivate func attribute(_ name: String) -> String? {
        attribute(forName: name)?.stringValue
    }
}
