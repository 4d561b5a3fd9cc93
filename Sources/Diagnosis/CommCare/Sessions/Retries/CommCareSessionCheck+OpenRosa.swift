import Dissection
import OpenRosa
import Wire

/// The HEAD before an OpenRosa submission: Diagnosis/Catalogue.md#c74.
extension CommCareSessionCheck {
    private typealias R = CommCareSessionRules

    mutating func checkHead(_ ask: CommCareAsk, _ report: inout Report) {
        let name = Name(server: ask.person.server, name: ask.person.device)
        if ask.api == .openRosaSubmitCheck, heads.count < Self.maxPersons { heads.insert(name) }
        guard ask.api == .openRosaSubmit, !heads.contains(name), heads.count < Self.maxPersons
        else { return }
        heads.insert(name)
        report.add(
            Finding(
                R.noHead, connection: ask.row.connection, client: ask.client,
                detail:
                    "The first submission to \(ask.row.host)\(ask.row.path) had no HEAD before it.",
                steps: [ask.step("the first submission")]))
    }

    func followHead(_ ask: CommCareAsk, _ reply: CommCareReply, _ report: inout Report) {
        guard ask.api == .openRosaSubmitCheck, reply.row.outcome == .complete, !reply.isTouched,
            !ask.isTouched
        else { return }
        switch reply.status {
        case 204, 300..<400, 401, 403, 429, 500...: return
        default: break
        }
        report.add(
            Finding(
                R.headNot204, connection: ask.row.connection, client: ask.client,
                topic: ask.row.path,
                detail: "HEAD \(ask.row.path) was answered with \(reply.status).",
                steps: [ask.step("HEAD"), reply.step("\(reply.status)")]))
    }
}
