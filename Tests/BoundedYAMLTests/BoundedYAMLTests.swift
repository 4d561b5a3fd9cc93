import Testing
import Yams

@testable import BoundedYAML

struct BoundedYAMLTests {
    /// Anchors that each name the one before `width` times, and what comes after them.
    private static func bomb(levels: Int, width: Int = 2, _ end: String) -> String {
        var text = "a0: &a0 [x, x]\n"
        for level in 1...levels {
            let names = (0..<width).map { _ in "*a\(level - 1)" }.joined(separator: ", ")
            text += "a\(level): &a\(level) [\(names)]\n"
        }
        return text + end
    }

    @Test(arguments: [
        "? *a30\n: 1\n", "*a30 : 1\n", "list: [*a30]\n", "list:\n  - *a30\n", "b: {*a30 : 1}\n",
        "? [*a30]\n: 1\n", "", "? {x: *a30}\n: 1\n",
    ])
    func `aliases that stand for billions of values are refused`(end: String) {
        let text = Self.bomb(levels: 30, end)
        #expect(text.utf8.count < 900)
        let error = #expect(throws: YamlError.self) { try BoundedYAML.compose(text) }
        guard case .composer(_, let problem, let place, _)? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(problem.contains("more than 100000 values"))
        #expect(place.line > 10)
    }

    @Test func `a bomb in flow style and one of shadowed anchors are refused`() {
        var flow = "{a0: &a [x, x]"
        for level in 1...40 { flow += ", a\(level): &a [*a, *a]" }
        #expect(throws: YamlError.self) { try BoundedYAML.compose(flow + ", *a : 1}") }
    }

    @Test func `aliases in their measure are as they were`() throws {
        let text = """
            base: &base {x: 1, y: "*z & more"}
            text: |
              * an item
              & another
            path: /media/*
            some: [*base, *base]
            *base : key
            """
        let node = try #require(try BoundedYAML.compose(text))
        #expect(node == (try Yams.compose(yaml: text)))
        #expect(node["some"]?[1]?["x"]?.int == 1)
        let many = Self.bomb(levels: 2, width: 100, "")
        #expect(try BoundedYAML.compose(many) != nil)
    }

    @Test func `nothing, and what is no YAML, is told as before`() throws {
        #expect(try BoundedYAML.compose("") == nil)
        #expect(throws: YamlError.self) { try BoundedYAML.compose("a: [*x &y") }
        #expect(throws: YamlError.self) { try BoundedYAML.compose("a: *none # &") }
    }
}
