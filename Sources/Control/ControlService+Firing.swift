import Faults
import Filters
import Serving
import Wire

extension ControlService {
    /// The rule name in the trace for actions that were fired by hand.
    static let firedRule = "fire"

    /// Carries out an action once, now.
    func fire(_ question: Question) async throws(ServedProblem) -> Answer {
        let fields = try RequestFields(question.body, allowed: ["action", "connection"])
        let action = try Self.action(try fields.text("action"))
        let number = try fields.number("connection")
        let id = number.map { ConnectionID($0) }
        let draw = UInt64.random(in: 0 ... .max)
        let firing = Firing(
            rule: Self.firedRule, action: action, scope: "", occurrence: 1, draw: draw)
        let felt = await configuration.fire(firing, id)
        guard felt.isEmpty else {
            return Answer(
                body: Self.list("connections", felt.map { .integer($0.rawValue) }))
        }
        let open = await configuration.connections()
        if let id, !open.contains(where: { $0.id == id }) {
            throw ServedProblem(
                404, "no-connection", "connection \(id) is not open",
                hint: "GET /v1/connections lists those that are")
        }
        let isMessage = !action.kind.specification.phases.contains(.connection)
        throw ServedProblem(
            409, "felt-by-none",
            open.isEmpty
                ? "no connection is open"
                : id.map { "\(action.kind) cannot be done to connection \($0)" }
                    ?? "\(action.kind) can be done to none of the open connections",
            hint: isMessage
                ? "\(action.kind) needs a connection whose WebSocket is open"
                : "GET /v1/connections lists those that are open")
    }

    /// An action that needs no event.
    private static func action(_ text: String) throws(ServedProblem) -> FaultAction {
        let action: FaultAction
        do throws(FaultPlanError) {
            action = try FaultAction.parse(text)
        } catch {
            throw ServedProblem(error, code: "bad-action")
        }
        guard action.kind.specification.isFireable else {
            throw ServedProblem(
                422, "bad-action", "\(action.kind) needs an event that it acts on",
                place: ServedProblem.Place(
                    line: 1, column: 1, text: text, range: 0..<text.unicodeScalars.count),
                hint: "fire one of \(fireable.map(\.rawValue).joined(separator: ", ")), "
                    + "or add a rule: POST /v1/rules")
        }
        if action.lastsForWindow {
            throw ServedProblem(
                422, "bad-action", "a \(action.kind) has to end",
                place: ServedProblem.Place(
                    line: 1, column: 1, text: text, range: 0..<text.unicodeScalars.count),
                hint: "give its duration: \(action.kind) 10s")
        }
        return action
    }

    /// The actions that can be fired on a connection without an event.
    static let fireable = ActionKind.allCases.filter(\.specification.isFireable)
}
