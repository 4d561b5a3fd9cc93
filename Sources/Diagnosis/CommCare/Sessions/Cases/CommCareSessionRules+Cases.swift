import Wire

/// Rules across messages about cases.
extension CommCareSessionRules {
    /// Those of this file.
    static let cases: [Rule] = [unknownCase, serverUnknownCase, cycle, serverCycle]

    /// A form changes a case that the device never had.
    static let unknownCase = Rule(
        "commcare.case.unknown", .error, repetition: .topic,
        title: "A form changes a case that the device never had.",
        source:
            "Diagnosis/Catalogue.md#c54 (commcare-core: \"Unable to update or close case …, it wasn't "
            + "found\").",
        follows: "the cases of the full restore, of the incremental ones and of all forms seen",
        evidence: "an update, close or index of a case without create, which none of them created",
        expects: "create in the same form or an earlier one, or a case of the restore.",
        silent: "the full restore was not seen or did not certainly arrive; cases were searched, "
            + "claimed or fetched by themselves",
        cause: "the case id is not that of the case, or a form was lost before this one")

    /// A restore changes a case that the device never had.
    static let serverUnknownCase = Rule(
        "commcare.server.unknown-case-updated", .error, blames: .server, repetition: .topic,
        title: "A restore changes a case that the device never had.",
        source: "Diagnosis/Catalogue.md#c54 (a device aborts the whole sync).",
        follows: "the cases of the full restore, of the incremental ones and of all forms seen",
        evidence: "an update, close or index without create of such a case",
        expects: "create for every case that the device does not have.",
        silent: "the full restore was not seen or did not certainly arrive; Tapedeck touched the "
            + "answer")

    /// A form closes a circle of indices.
    static let cycle = Rule(
        "commcare.case.cycle", .error, repetition: .topic,
        title: "A form closes a circle of indices.",
        source:
            "Diagnosis/Catalogue.md#c55 (CommCare Android: InvalidCaseGraph; it drops its state and "
            + "recovers).",
        follows: "the indices of all cases of the device",
        evidence: "the indices of the form lead from a case back to it over others",
        expects: "Indices that lead from children to parents and extensions to hosts, without a "
            + "circle.",
        silent: "the full restore was not seen or did not certainly arrive")

    /// A restore holds a circle of indices.
    static let serverCycle = Rule(
        "commcare.server.case-cycle", .error, blames: .server, repetition: .topic,
        title: "A restore holds a circle of indices.",
        source: "Diagnosis/Catalogue.md#c55 (CommCare Android: InvalidCaseGraph).",
        follows: "the indices of all cases of the device",
        evidence: "the indices after the restore lead from a case back to it over others",
        expects: "Indices without a circle.",
        silent: "Tapedeck touched the answer")
}
