import DequeModule
import Dissection
import Framing
import Wire

/// Messages that wait for somebody's decision.
///
/// They wait behind the gate, in the order of what their sender sent; the gate has gone on as if they
/// were forwarded.
extension HTTPGate {
    /// Why a message of an exchange is not held; nil where it can be.
    func problem(ofHolding exchange: LiveExchange, isWhole: Bool) -> String? {
        if exchange.kind == .connect { return "a tunnel is not held, the requests in it are" }
        return isWhole ? nil : Self.notWhole
    }

    /// What is decided about a message, as something that somebody has to agree to.
    ///
    /// - Parameters:
    ///   - made: What is to be done with the message.
    ///   - firing: What holds it.
    ///   - passage: The message.
    ///   - exchange: Its exchange.
    ///   - at: When.
    /// - Returns: The same, with the bytes of the message in one command.
    func held(
        _ made: [GateCommand], by firing: Firing, _ passage: MessagePassage,
        _ exchange: LiveExchange, _ at: Instant
    ) -> [GateCommand] {
        let content: HeldMessage.Content =
            passage.sender == .client
            ? .request(exchange.head) : .response(passage.head, to: exchange.head)
        let bytes = made.sentOn
        let message = HeldMessage(
            id: session.nextHeld(), connection: context.connection, sender: passage.sender,
            content: content, bytes: bytes, firing: firing, at: at, exchange: exchange.number)
        var ahead: [GateCommand] = []
        var behind: [GateCommand] = []
        for command in made {
            switch command {
            case .pass, .replace: continue
            case .close: behind.append(command)
            default: ahead.append(command)
            }
        }
        let whole = GateCommand.replace(
            sender: passage.sender, made.flatMap(\.received), by: bytes)
        return [.park(message), .wake(at: message.until)] + ahead + [whole] + behind
    }

    /// What is decided about a message, as something that an add-on is asked about.
    ///
    /// - Parameters: As above.
    /// - Returns: The same where nobody has to be waited for.
    func asked(
        _ made: [GateCommand], by firing: Firing, _ passage: MessagePassage,
        _ exchange: LiveExchange, _ at: Instant
    ) -> [GateCommand] {
        guard let asker = session.asker, exchange.kind != .connect else { return made }
        // Nobody is woken for it: there are many, and each is decided about long before.
        let waiting = held(made, by: firing, passage, exchange, at).filter { command in
            if case .wake = command { false } else { true }
        }
        guard case .park(let message)? = waiting.first else { return made }
        var row = exchange.row(context)
        if passage.sender == .server { row.endedAt = at }
        let rows = exchange.contents.rows(row)
        let subject = AskedExchange(
            session: context.session, sender: passage.sender, row: row, bodies: rows.bodies,
            documents: rows.documents)
        return asker.ask(.exchange(subject), as: message) == .wait ? waiting : made
    }

    /// A held request is answered here, and the server does not get it.
    mutating func withdraw(
        _ number: Int, _ at: Instant, _ commands: inout [GateCommand]
    ) {
        guard let index = waiting.firstIndex(where: { $0.number == number }) else { return }
        let exchange = waiting.remove(at: index)
        // The answer to the first may be on its way, and is expected no more.
        responses.withdrawExpectation(at: outgoing == nil ? index : index - 1)
        guard exchange.isUpgrade, requests.isPaused, case .following = state else { return }
        requests.resume(.http)
        let rest = behind
        behind = []
        if !rest.isEmpty { followRequests(rest, at, &commands) }
    }
}
