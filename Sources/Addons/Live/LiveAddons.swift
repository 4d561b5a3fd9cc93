import Dispatch
import Dissection
public import Faults
import Synchronization
public import Wire

/// The add-ons that judge traffic while it passes.
///
/// A message is asked about one after the other: the first that does not let it pass decides.
public final class LiveAddons: TrafficAsker {
    /// What an add-on brings about.
    public struct Effects: Sendable {
        /// Carries out what becomes of a message that waits.
        public var decide: @Sendable (HeldMessage, HoldDecision) -> Void
        /// Sends one more message on the connection of an event.
        public var send: @Sendable (ConnectionID, [UInt8], Peer) -> Void
        /// Writes a mark or note to the trace.
        public var write: @Sendable (AddonAside, ConnectionID?, String) -> Void
        /// Reports what cannot be carried out, with the name of the add-on.
        public var warn: @Sendable (String, String) -> Void
        /// Seconds since 1970.
        public var unixSeconds: @Sendable () -> Int64

        /// These effects.
        public init(
            decide: @escaping @Sendable (HeldMessage, HoldDecision) -> Void,
            send: @escaping @Sendable (ConnectionID, [UInt8], Peer) -> Void,
            write: @escaping @Sendable (AddonAside, ConnectionID?, String) -> Void,
            warn: @escaping @Sendable (String, String) -> Void,
            unixSeconds: @escaping @Sendable () -> Int64
        ) {
            self.decide = decide
            self.send = send
            self.write = write
            self.warn = warn
            self.unixSeconds = unixSeconds
        }
    }

    /// An add-on and its name.
    public struct Member: Sendable {
        /// The name in messages and rows.
        public let name: String
        /// The add-on.
        public let addon: any LiveAddon

        /// An add-on of this name.
        public init(name: String, addon: any LiveAddon) {
            self.name = name
            self.addon = addon
        }
    }

    private let members: [Member]
    private let effects: Effects

    /// These add-ons, in their order.
    public init(_ members: [Member], effects: Effects) {
        self.members = members
        self.effects = effects
    }

    /// Asks the add-ons that want an event.
    public func ask(_ subject: AskedSubject, as held: HeldMessage) -> AskedAnswer {
        let event = AddonEvent(subject)
        var first: Int?
        var decided: (verdict: AddonVerdict, member: Member)?
        for (number, member) in members.enumerated() {
            guard let hello = member.addon.hello, let interest = AddonInterest(event, in: hello)
            else { continue }
            if interest.isAwaited {
                guard first == nil, decided == nil else { continue }
                guard let found = member.addon.judge(event, interest) else {
                    first = number
                    continue
                }
                for aside in found.asides { say(aside, member, held.connection) }
                if found.verdict != .pass { decided = (found.verdict, member) }
            } else {
                member.addon.ask(event, interest) { [self] reply in
                    if case .aside(let aside) = reply { say(aside, member, held.connection) }
                }
            }
        }
        if let decided {
            carryOut(decided.verdict, decided.member, held)
            return .wait
        }
        guard let first else { return .pass }
        ask(event, held, from: first)
        return .wait
    }

    /// Asks the next add-on that wants an event and is waited for.
    private func ask(_ event: AddonEvent, _ held: HeldMessage, from first: Int) {
        for member in members[first...] {
            guard let hello = member.addon.hello, let interest = AddonInterest(event, in: hello),
                interest.isAwaited
            else { continue }
            let next = (members.firstIndex { $0.name == member.name } ?? first) + 1
            member.addon.ask(event, interest) { [self] reply in
                switch reply {
                case .aside(let aside): say(aside, member, held.connection)
                case .verdict(.pass) where next < members.count: ask(event, held, from: next)
                case .verdict(let verdict): carryOut(verdict, member, held)
                }
            }
            return
        }
        effects.decide(held, .release)
    }

    /// Says to the add-ons that want it that a client connected.
    public func connected(_ connection: ConnectionRow) {
        let event = AddonEvent(connection)
        for member in members {
            guard let hello = member.addon.hello, let interest = AddonInterest(event, in: hello)
            else { continue }
            if let found = member.addon.judge(event, interest) {
                for aside in found.asides { say(aside, member, connection.id) }
                continue
            }
            member.addon.ask(event, interest) { [self] reply in
                if case .aside(let aside) = reply { say(aside, member, connection.id) }
            }
        }
    }

    private func say(_ aside: AddonAside, _ member: Member, _ connection: ConnectionID) {
        switch aside {
        case .mark, .note: effects.write(aside, connection, member.name)
        case .send(let bytes, let receiver): effects.send(connection, bytes, receiver)
        }
    }

    private func carryOut(_ verdict: AddonVerdict, _ member: Member, _ held: HeldMessage) {
        switch verdict {
        case .pass: effects.decide(held, .release)
        case .drop: effects.decide(held, .drop)
        case .delay(let nanoseconds):
            let decide = effects.decide
            DispatchQueue.global().asyncAfter(
                deadline: .now() + .nanoseconds(Int(nanoseconds))
            ) { decide(held, .release) }
        case .edit(let edit):
            guard held.frame == nil else {
                return effects.decide(held, edit.content.map { .edit($0) } ?? .release)
            }
            do throws(EditableTextError) {
                effects.decide(held, .edit(try edit.http.applied(to: held)))
            } catch {
                effects.warn(member.name, "its edit cannot be carried out: \(error)")
                effects.decide(held, .release)
            }
        case .answer(let edit):
            effects.decide(
                held, .answer(edit.http.answer(to: held, unixSeconds: effects.unixSeconds())))
        }
    }
}

/// An add-on, whatever it is written in.
public protocol LiveAddon: Sendable {
    /// Starts it, and waits until it has said what it wants, or failed to.
    ///
    /// - Returns: Whether it runs.
    func start() -> Bool

    /// What was counted.
    var counts: AddonCounts { get }

    /// Decides about an event at once; nil where the add-on answers later.
    func judge(
        _ event: AddonEvent, _ interest: AddonInterest
    ) -> (verdict: AddonVerdict, asides: [AddonAside])?

    /// Waits until events can be sent at once.
    func waitForRoom()

    /// Lets it end, or kills it, and waits until it has ended.
    func finish(isAborted: Bool)

    /// What it asks for; nil while it is not running.
    var hello: AddonHello? { get }

    /// Asks about an event; the reply comes once with a verdict, from any thread.
    func ask(
        _ event: AddonEvent, _ interest: AddonInterest,
        reply: @escaping @Sendable (AddonReply) -> Void)
}

extension AddonProcess: LiveAddon {
    /// A program answers later.
    public func judge(
        _ event: AddonEvent, _ interest: AddonInterest
    ) -> (verdict: AddonVerdict, asides: [AddonAside])? { nil }
}

extension AddonEdit {
    /// The same for a message of HTTP.
    var http: HTTPEdit {
        HTTPEdit(
            content: content, status: status, path: path,
            fields: fields.map { ($0.name, $0.value) })
    }
}

extension AddonEvent {
    /// An event that waits in live traffic.
    init(_ subject: AskedSubject) {
        switch subject {
        case .message(let message): self.init(message)
        case .command(let command): self.init(command)
        case .exchange(let asked):
            self.init(
                asked.sender == .client ? .request : .response,
                of: AddonExchange(
                    session: asked.session, row: asked.row,
                    request: asked.bodies.first { $0.sender == .client },
                    response: asked.bodies.first { $0.sender == .server },
                    documents: asked.documents))
        }
    }
}

extension AddonHello {
    /// What the gates have to ask about for it.
    public var asked: [AskedFilter] {
        subscriptions.flatMap { subscription in
            subscription.kinds.sorted { $0.rawValue < $1.rawValue }.filter { $0 != .connection }
                .map { AskedFilter(subscription.filter, phase: $0.phase) }
        }
    }
}
