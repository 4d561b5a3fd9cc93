extension Reproduction {
    /// The page about the folder, for whoever finds it in a repository.
    func page(hasFaults: Bool) -> String {
        var lines = [
            "# \(rule)", "", "What a client did: \(detail)", "", "Expected: \(expected)", "",
            "Test a client with `tapedeck retest . -- CLIENT`: it exits with status 0 where the rule held and",
            "its trigger was reached, and with 1 where the client broke it again or did not get that far.",
            "CLIENT connects to `TAPEDECK_URL` and does the steps of `TAPEDECK_SCRIPT` (`\(Self.script)`).",
            "The server is replayed from `\(Self.recording)`, redacted and as short as shows the finding:",
            "`tapedeck diagnose \(Self.recording)`. The trigger and what is left behind stand in `\(Self.file)`.",
        ]
        if hasFaults {
            lines.append(
                "The faults that were part of it, for a live server: `tapedeck record --faults \(Self.plan)`."
            )
        }
        switch isVerified {
        case true?: lines.append("The built-in client reaches the trigger and keeps the rule.")
        case false?:
            lines.append("The built-in client does not pass; see whether the steps are complete.")
        case nil: break
        }
        return lines.joined(separator: "\n") + "\n"
    }
}
