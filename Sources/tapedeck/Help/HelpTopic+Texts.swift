extension HelpTopic {
    /// All topics, sorted by name.
    ///
    /// Their texts are files in `Topics`, which Tools/topics writes from the documents.
    static let all = [
        HelpTopic(
            name: "certificates", about: "trusting our certificates, verifying servers'",
            text: text(PackageResources.certificates_txt)),
        HelpTopic(
            name: "environment", about: "variables that a command after -- gets",
            text: text(PackageResources.environment_txt)),
        HelpTopic(
            name: "exit-status", about: "what exit statuses mean",
            text: text(PackageResources.exit_status_txt)),
        HelpTopic(
            name: "faults", about: "the language of fault rules and plans",
            text: text(PackageResources.faults_txt)),
        HelpTopic(
            name: "filters", about: "the filter language of ls, tail and rules",
            text: text(PackageResources.filters_txt)),
        HelpTopic(
            name: "mitmproxy", about: "for those who come from mitmproxy",
            text: text(PackageResources.mitmproxy_txt)),
    ]

    private static func text(_ file: [UInt8]) -> String { String(decoding: file, as: UTF8.self) }
}
