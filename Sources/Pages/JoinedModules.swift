/// Modules of JavaScript as one script: each is a function that gives what it exports.
///
/// For modules as those of this folder are written: an import names what it takes and stands at the beginning of
/// a line, and an export stands before a function, a class or a constant.
enum JoinedModules {
    /// The script.
    ///
    /// - Parameter modules: Each after what it imports, by the names of their files without `.js`.
    /// - Returns: The script in UTF-8.
    static func script(_ modules: [(name: String, source: [UInt8])]) -> [UInt8] {
        modules.flatMap { module in Array(joined(module.name, module.source).utf8) }
    }

    private static func joined(_ name: String, _ source: [UInt8]) -> String {
        var lines: [String] = []
        var exports: [String] = []
        var taken: String?
        for line in String(decoding: source, as: UTF8.self).split(
            separator: "\n", omittingEmptySubsequences: false
        ) {
            if line.hasPrefix("import ") || taken != nil {
                let whole = (taken ?? "") + line
                taken = whole.hasSuffix(";") ? nil : whole
                if taken == nil { lines.append(constant(of: whole)) }
            } else if line.hasPrefix("export ") {
                let rest = line.dropFirst("export ".count)
                exports.append(exported(rest))
                lines.append(String(rest))
            } else {
                lines.append(String(line))
            }
        }
        return """
            const \(variable(name)) = (() => {
            \(lines.joined(separator: "\n"))
            return { \(exports.joined(separator: ", ")) };
            })();

            """
    }

    /// `const { a, b: c } = MODULE;` for an import of `{ a, b as c }`.
    private static func constant(of statement: String) -> String {
        let names = statement.drop { $0 != "{" }.prefix { $0 != "}" } + "}"
        let file = statement.split(separator: "\"").last { $0.hasPrefix("./") } ?? ""
        let module = file.dropFirst(2).dropLast(".js".count)
        let parts = names.split(separator: " as ").joined(separator: ": ")
        return "const \(parts) = \(variable(module));"
    }

    /// The name in `function name(`, `async function name(`, `class name {` or `const name =`.
    private static func exported(_ declaration: Substring) -> String {
        let kinds: Set<Substring> = ["async", "function", "class", "const"]
        let word = declaration.split { $0 == " " || $0 == "(" }.first { !kinds.contains($0) }
        return word.map(String.init) ?? ""
    }

    private static func variable(_ name: some StringProtocol) -> String {
        "module_" + String(name.map { $0 == "-" ? "_" : $0 })
    }
}
