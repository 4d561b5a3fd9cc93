extension FaultAction: CustomStringConvertible {
    /// An action with its arguments in the order of the catalogue, positional ones first.
    static func text(_ kind: ActionKind, _ arguments: [String: Argument]) -> String {
        var words = [kind.rawValue]
        var isPositional = true
        for parameter in kind.specification.parameters {
            // A body that was read from a file is not written out.
            let isRead = parameter.name == "body" && arguments["body-file"] != nil
            guard let argument = arguments[parameter.name], !isRead else {
                // What follows has to be named.
                if parameter.isPositional { isPositional = false }
                continue
            }
            for text in argument.texts {
                if parameter.isPositional && isPositional {
                    words.append(PlanText.written(text, isPositional: true))
                } else {
                    words.append("\(parameter.name)=" + PlanText.written(text))
                }
            }
        }
        return words.joined(separator: " ")
    }
}

extension FaultAction.Argument {
    /// The value as plans write it, without quotation marks.
    var texts: [String] {
        switch self {
        case .integer(let value): ["\(value)"]
        case .duration(let value): [PlanText.written(nanoseconds: value)]
        case .text(let text): [text]
        case .flag(let isSet): [isSet ? "true" : "false"]
        case .texts(let texts): texts
        }
    }
}
