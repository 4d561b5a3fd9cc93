import Hummingbird
import Synchronization

/// A responder that is known once the port is.
final class LateResponder: HTTPResponder {
    typealias Context = BasicRequestContext

    private let responder = Mutex<ControlResponder?>(nil)

    /// Who answers from now on.
    func set(_ responder: ControlResponder) {
        self.responder.withLock { $0 = responder }
    }

    func respond(to request: Request, context: BasicRequestContext) async throws -> Response {
        guard let responder = responder.withLock({ $0 }) else {
            return Response(status: .serviceUnavailable)
        }
        return try await responder.respond(to: request, context: context)
    }
}
