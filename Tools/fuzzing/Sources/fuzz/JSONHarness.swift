internal import Notation
internal import Wire

extension Harness {
    /// Scans JSON; what is written again means and says the same.
    static let json = Harness(name: "json") { bytes in
        let start = JSONStep.space(bytes.span, at: 0, end: bytes.count)
        let steps = JSONStep.value(bytes.span, at: start, end: bytes.count).map {
            JSONStep.space(bytes.span, at: $0, end: bytes.count)
        }
        let document: JSONDocument
        do throws(JSONError) {
            document = try JSONDocument.scan(bytes)
        } catch {
            demand((0...bytes.count).contains(error.offset), "\(error) is inside the text")
            demand(steps != bytes.count, "what is no JSON is not stepped over")
            return
        }
        demand(steps == bytes.count || steps == nil, "JSON is stepped over whole")
        check(document.root, in: document)

        let value = JSONValue(document.root)
        for style in [JSONValue.Style.compact, .python] {
            let written = value.bytes(style)
            guard let again = try? JSONDocument.scan(written) else {
                return demand(false, "what is written is JSON")
            }
            demand(JSONValue(again.root) == value, "written and read again it is the same")
        }
        demand(value.isSame(as: value), "a value means what it means")

        for text in [JSONText.compact(document.root), JSONText.pretty(document.root)] {
            guard let again = try? JSONDocument.scan(Array(text.utf8)) else {
                return demand(false, "what is laid out anew is JSON")
            }
            demand(JSONValue(again.root) == value, "laid out anew it is the same")
        }
    }

    /// Every node is inside of its parent and, cut out, the same text.
    private static func check(_ node: JSONDocument.Node, in document: JSONDocument) {
        var open = [node]
        while let node = open.popLast() {
            demand(
                node.range.upperBound <= document.bytes.count && !node.range.isEmpty,
                "a node has bytes")
            _ = (node.int, node.string, node.utf16, node.number, node.bool)
            for element in node.elements { open.append(contained(element, node)) }
            for member in node.members {
                open.append(contained(member.key, node))
                open.append(contained(member.value, node))
            }
        }
    }

    private static func contained(
        _ child: JSONDocument.Node, _ parent: JSONDocument.Node
    ) -> JSONDocument.Node {
        demand(
            parent.range.lowerBound < child.range.lowerBound
                && child.range.upperBound < parent.range.upperBound, "children are inside")
        return child
    }
}
