import Filters

/// What to do about a filter that begins with a minus, which is read as an option.
enum NegationHint {
    /// The failure for a command line with such a filter; nil without one.
    static func failure(_ arguments: [String]) -> Failure? {
        guard let command = arguments.first, ["ls", "tail", "export"].contains(command) else {
            return nil
        }
        for argument in arguments.dropFirst() {
            if argument == "--" { return nil }
            guard argument.hasPrefix("-"), !argument.hasPrefix("--") else { continue }
            let rest = argument.dropFirst()
            let name = rest.prefix { $0.isLetter || $0 == "." || $0 == "-" }
            guard let sign = rest.dropFirst(name.count).first, ":=<>~!".contains(sign),
                Field(rawValue: name.lowercased()) != nil || name.lowercased().hasPrefix("header.")
            else { continue }
            return Failure(
                .usage, "'\(argument)' is read as an option; write 'not \(rest)' for the filter")
        }
        return nil
    }
}
