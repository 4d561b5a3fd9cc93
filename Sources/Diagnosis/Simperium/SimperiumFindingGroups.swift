import Wire

/// The finding groups of Simperium clients.
enum SimperiumFindingGroups {
    static let rules: [Rule] = all.map(\.rule) + [doubleText, fullResendLoop]

    static let all: [FindingGroup] = [
        group(
            ghostWriting, [SimperiumChangeRules.repeatsInsert.id], least: 2,
            within: 3600, .topic
        ) { "The same text of \($0) was inserted \($1) times more after it was there." },
        group(
            lostEdit,
            [
                SimperiumChangeRules.neverResent.id, SimperiumChangeRules.undoesOwnMember.id,
                SimperiumChangeRules.forgotten.id,
            ], least: 2, within: nil, .client
        ) { _, count in "\(count) edits of the client were lost." },
        group(
            echo,
            [SimperiumChangeRules.echo.id, SimperiumChangeRules.echoOfRemoval.id],
            least: 2, within: 3600, .client
        ) { _, count in "\(count) changes of others were sent back as the client's own." },
        group(
            stuckKey,
            [
                SimperiumChangeRules.stuckKey.id, SimperiumChangeRules.notSentWhole.id,
                SimperiumChangeRules.noCatchUp.id,
            ], least: 2, within: nil, .topic
        ) { "\($0) is stuck: \($1) times it was refused and nothing followed." },
        group(
            duplicateStorm,
            [SimperiumChangeRules.afterDuplicate.id, SimperiumChangeRules.noCatchUp.id],
            least: 3, within: 600, .topic
        ) { "The same change of \($0) was sent \($1) times after the server had it." },
        group(
            reindexLoop,
            [
                "simperium.index.read-again", "simperium.index.instead-of-cv",
                "simperium.cv.unknown-ignored", "simperium.cv.unknown-repeated",
                "simperium.cv.not-advanced", "simperium.cv.never-issued",
            ], least: 3, within: 3600, .client
        ) { _, count in "The client reads the whole index again and again, \(count) times." },
        group(
            reconnectStorm,
            [
                "simperium.session.reconnect-storm", "simperium.auth.same-token-again",
            ], least: 2, within: 3600, .client
        ) { _, count in "The client reconnects repeatedly without a pause: \(count) times." },
    ]

    private static func group(
        _ rule: Rule, _ parts: Set<String>, least: Int, within seconds: Int64?,
        _ sharing: FindingGroup.Sharing,
        detail: @escaping @Sendable (_ topic: String, Int) -> String
    ) -> FindingGroup {
        FindingGroup(
            rule: rule, parts: parts, least: least,
            withinNanoseconds: seconds.map { $0 * 1_000_000_000 }, sharing: sharing
        ) { parts in detail(parts.first?.topic ?? "", parts.reduce(0) { $0 + $1.times }) }
    }
}
