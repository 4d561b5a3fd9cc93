import Dissection
import Wire

/// Full restores of devices that could sync: Diagnosis/Catalogue.md#c89.
extension CommCareSessionCheck {
    private typealias R = CommCareSessionRules

    /// Full restores in a row at which it is no choice of the user.
    private static let leastNeedless = 3

    func checkFullAgain(
        _ ask: CommCareAsk, _ person: inout CommCarePerson, _ session: borrowing SessionView,
        _ report: inout Report
    ) {
        guard ask.isRestore else { return }
        guard !ask.isIncremental else {
            person.needlessFulls = 0
            person.needlessSteps = []
            return
        }
        guard !ask.isTouched, !ask.isForAnother, person.hasTakenLast, person.hasUsedCurrent,
            person.refused == nil, person.polling == nil, let current = person.current,
            !current.isBroken
        else { return }
        person.needlessFulls += 1
        person.needlessSteps.append(ask.step("a full restore"))
        if person.needlessSteps.count > 8 { person.needlessSteps.removeFirst() }
        guard person.needlessFulls >= Self.leastNeedless else { return }
        let size = owners[Name(server: ask.person.server, name: current.token)]?.digest.count
        let cost = size.map { "; the last one had \($0) bytes" } ?? ""
        report.add(
            Finding(
                R.fullAgain, connection: ask.row.connection, client: ask.client, topic: ask.topic,
                detail: "\(person.needlessFulls) full restores in a row were requested by a device "
                    + "that has the sync token of the one before and sends it with its forms, and "
                    + "none was refused\(cost).",
                expected: "since=\(current.token) and state=ccsh:HASH.",
                steps: [current.row.responseStep("issues \(current.token)")] + person.needlessSteps)
        )
    }
}
