/// One command that makes redirections or takes them back.
struct RedirectStep: Hashable {
    /// The program: `nft` or `ip`.
    var program: String
    /// The words after it.
    var arguments: [String]
    /// What it reads.
    var input = ""
    /// Whether it may fail, as where there is nothing to take back, or no IPv6.
    var mayFail = false

    /// What `nft` is to load.
    static func rules(_ text: String) -> RedirectStep {
        RedirectStep(program: "nft", arguments: ["-f", "-"], input: text)
    }

    /// A command of `ip`.
    static func ip(_ words: String, mayFail: Bool = false) -> RedirectStep {
        RedirectStep(
            program: "ip", arguments: words.split(separator: " ").map(String.init),
            mayFail: mayFail)
    }

    /// As a shell reads it.
    var script: String {
        let line = ([program] + arguments).joined(separator: " ")
        if !input.isEmpty { return "\(line) <<'END'\n\(input)END\n" }
        return mayFail ? "\(line) 2>/dev/null || true\n" : "\(line)\n"
    }

    /// Carries it out.
    func run() throws(Failure) {
        do throws(Failure) {
            try SystemProgram.run(
                program, arguments, input: input,
                package: program == "nft" ? "nftables" : "iproute2")
        } catch {
            guard mayFail else { throw error }
        }
    }
}
