/// A place in a JSON value, from the outside in.
public struct JSONPath: Hashable, Sendable, CustomStringConvertible {
    /// One step inwards.
    public enum Step: Hashable, Sendable {
        /// To the value of a key.
        case key(String)
        /// To an element of an array, from 0.
        case index(Int)
    }

    /// The steps; none for the value itself.
    public var steps: [Step]

    /// A path of these steps.
    public init(_ steps: [Step] = []) { self.steps = steps }

    /// Whether it is the value itself.
    public var isEmpty: Bool { steps.isEmpty }

    /// The path one step further in.
    public func appending(_ step: Step) -> JSONPath { JSONPath(steps + [step]) }

    /// The path in the usual notation: `tags[2].name`, with quotes around unusual keys.
    public var description: String {
        var text = ""
        for step in steps {
            switch step {
            case .index(let index): text += "[\(index)]"
            case .key(let key):
                let isPlain =
                    !key.isEmpty && key.utf8.count <= 64
                    && key.unicodeScalars.allSatisfy {
                        $0.properties.isAlphabetic || $0.properties.numericType != nil
                            || $0 == "_" || $0 == "-"
                    }
                text += isPlain ? (text.isEmpty ? key : ".\(key)") : "[\(Excerpt.quote(key))]"
            }
        }
        return text
    }
}
