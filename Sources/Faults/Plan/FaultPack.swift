import Filters

/// A plan that comes with Tapedeck: faults that often occur together.
public struct FaultPack: Sendable {
    /// The name.
    public let name: String
    /// The plan as YAML, with a paragraph in front: what it simulates, and what a correct client
    /// does.
    public let yaml: String

    init(_ name: String, _ bytes: [UInt8]) {
        self.name = name
        yaml = String(decoding: bytes, as: UTF8.self)
    }

    /// What it simulates and what a correct client does, in one paragraph.
    public var about: String {
        yaml.split(separator: "\n", omittingEmptySubsequences: false)
            .prefix { $0.hasPrefix("#") }
            .map { $0.dropFirst().drop { $0 == " " } }
            .joined(separator: " ")
    }

    /// Its rules.
    ///
    /// - Throws: ``FaultPlanError``, never for one of ``all``.
    public func plan() throws(FaultPlanError) -> FaultPlan { try FaultPlan.parse(yaml: yaml) }

    /// The pack of this name.
    public static func named(_ name: String) -> FaultPack? { all.first { $0.name == name } }

    /// All packs, by name.
    public static let all: [FaultPack] = [
        FaultPack("account-deactivated", PackageResources.account_deactivated_yaml),
        FaultPack("broken-restore", PackageResources.broken_restore_yaml),
        FaultPack("broken-tls", PackageResources.broken_tls_yaml),
        FaultPack("captive-portal", PackageResources.captive_portal_yaml),
        FaultPack("chatty-server", PackageResources.chatty_server_yaml),
        FaultPack("duplicate-forms", PackageResources.duplicate_forms_yaml),
        FaultPack("expired-history", PackageResources.expired_history_yaml),
        FaultPack("expired-token", PackageResources.expired_token_yaml),
        FaultPack("flaky-mobile", PackageResources.flaky_mobile_yaml),
        FaultPack("ghost-writing-bait", PackageResources.ghost_writing_bait_yaml),
        FaultPack("lost-acknowledgements", PackageResources.lost_acknowledgements_yaml),
        FaultPack("overloaded-server", PackageResources.overloaded_server_yaml),
        FaultPack("refused-changes", PackageResources.refused_changes_yaml),
        FaultPack("reindex-storm", PackageResources.reindex_storm_yaml),
        FaultPack("rejected-forms", PackageResources.rejected_forms_yaml),
        FaultPack("restore-in-progress", PackageResources.restore_in_progress_yaml),
        FaultPack("restore-never-ready", PackageResources.restore_never_ready_yaml),
        FaultPack("silent-server", PackageResources.silent_server_yaml),
        FaultPack("slow-link", PackageResources.slow_link_yaml),
        FaultPack("tunnels", PackageResources.tunnels_yaml),
        FaultPack("wrong-clock", PackageResources.wrong_clock_yaml),
    ]

    /// The names nearest to an unknown one, best first, at most three.
    public static func nearest(to name: String) -> [String] {
        NearestNames.of(name, among: all.map(\.name))
    }
}
