import Faults
import Testing

/// Faults of one kind, and what is promised once they stop.
struct FaultCase: Sendable, CustomTestStringConvertible {
    let kind: ActionKind
    /// What is done to what, without a schedule of chance.
    let rules: [String]
    /// How likely each event is hit; nil where the rules say when.
    let chance: Double?
    /// In how many of a hundred steps a client closes its connection; in as many it is killed.
    let cuts: Int
    /// How often somebody edits something until the faults stop.
    let edits: Int
    let promise: FaultPromise

    var testDescription: String { rules.joined(separator: "; ") }

    init(
        _ kind: ActionKind, _ rules: String..., chance: Double? = nil, cuts: Int = 0,
        edits: Int = 40, promise: FaultPromise = .everything
    ) {
        self.kind = kind
        self.rules = rules
        self.chance = chance
        self.cuts = cuts
        self.edits = edits
        self.promise = promise
    }

    /// The rules as a plan has them, the chance times `factor`.
    func lines(chanceTimes factor: Double = 1) -> [String] {
        guard let chance else { return rules }
        return rules.map { "\($0) probability=\(chance * factor)" }
    }

    static let all = changes + commands + messages + connections

    /// Refusals of changes.
    private static let changes =
        [440, 503, 400, 401, 405, 413, 417, 999].map {
            FaultCase(.error, "command:c sender:client => error \($0)", chance: 0.2)
        } + [
            FaultCase(.error, "command:c sender:client => error 500 as=string", chance: 0.2),
            FaultCase(
                .error, "command:c sender:client => error 404", chance: 0.2,
                promise: .sameData(
                    because: "it says that the object is gone, so that the client brings back all "
                        + "of it as its own work")),
            FaultCase(
                .error, "command:c sender:client => error 409", chance: 0.2,
                promise: .sameData(
                    because: "it says that the server has the change, so that the client takes "
                        + "the server's version, and the edit is lost")),
            FaultCase(
                .error, "command:c sender:client => error 412", chance: 0.2,
                promise: .sameData(
                    because: "it says that the change changes nothing, so that the client takes "
                        + "the server's version, and the edit is lost")),
            FaultCase(
                .error, "command:c sender:client => error 503 forwarded", chance: 0.2),
            FaultCase(
                .error, "command:c sender:client => error 440 forwarded", chance: 0.2,
                promise: .sameDataAfterNextChange(
                    because: "the client sends as new what was made, and takes back what its app "
                        + "gives up, though the server has it")),
        ]

    /// Answers to commands, and changes of them.
    private static let commands = [
        FaultCase(
            .cvUnknown, "command:cv sender:client => cv-unknown", chance: 1, cuts: 3, edits: 150),
        FaultCase(
            .changeUnknown, "command:{c,cv} sender:client => change-unknown", chance: 0.1),
        FaultCase(
            .entityUnknown, "command:e sender:client => entity-unknown", chance: 0.3,
            promise: .sameAfterNextChange(
                because: "the object is gone, or a newer version is told, wherever a server says "
                    + "so; nothing is asked once more during an index")),
        FaultCase(.authFailure, "command:init sender:client => auth-failure", chance: 0.3),
        FaultCase(.authExpired, "command:init sender:client => auth-expired", chance: 0.3),
        FaultCase(.moveCurrent, "command:i sender:server => move-current", chance: 0.5, cuts: 3),
        FaultCase(.foreignCcids, "command:c sender:server => foreign-ccids", chance: 0.05),
        FaultCase(
            .versionGap, "command:c sender:server => version-gap", chance: 0.05,
            promise: .sameAfterNextChange(
                because: "the client asks for a version that the server has not, reads the index "
                    + "once for each object and connection, and then stays at what it has")),
        FaultCase(.compact, "command:c sender:server => compact count=3", chance: 0.1),
        FaultCase(.malformedDelta, "command:c sender:server => malformed-delta", chance: 0.1),
        FaultCase(.wrongHeartbeat, "command:h => wrong-heartbeat by=5", chance: 0.8, edits: 80),
        FaultCase(
            .unknownChannel, "command:c sender:server => unknown-channel", chance: 0.05,
            promise: lost),
        FaultCase(
            .unknownChannel, "command:{auth,i,e} sender:server => unknown-channel", chance: 0.1),
        FaultCase(.send, "command:c sender:client => send 0:index", chance: 0.1),
        FaultCase(.send, "command:c sender:client => send 1:cv:?", chance: 0.1),
        FaultCase(
            .send, "command:c sender:client => send ?", "command:c sender:client => send 0:?",
            "command:c sender:client => send log:2", "command:c sender:client => send 2:o:{}",
            chance: 0.1),
    ]

    /// What is done to messages as a whole.
    private static let messages = [
        FaultCase(.drop, "command:c sender:client => drop", chance: 0.1),
        FaultCase(.drop, "command:c sender:server => drop", chance: 0.05, promise: lost),
        FaultCase(.drop, "command:{auth,i,e,cv} => drop", chance: 0.1),
        FaultCase(.drop, "command:h => drop", chance: 0.8, edits: 80),
        FaultCase(.drop, "command:c => drop close", chance: 0.02),
        FaultCase(.doubled, "command:c sender:client => repeat", chance: 0.2),
        FaultCase(.doubled, "command:c sender:server => repeat count=2", chance: 0.2),
        FaultCase(.doubled, "command:{init,auth,i,e,cv} => repeat", chance: 0.2),
        FaultCase(.reorder, "command:c sender:client => reorder", chance: 0.1),
        FaultCase(.reorder, "command:c sender:server => reorder", chance: 0.1),
        FaultCase(.reorder, "command:{i,e,cv} => reorder", chance: 0.2),
        FaultCase(.hold, "command:c => hold 2s", chance: 0.2),
        FaultCase(.hold, "command:{init,auth,i,e,cv} => hold 700ms", chance: 0.2),
    ]

    /// What is done to bytes and connections.
    private static let connections = [
        FaultCase(.status, "method:GET => 503", chance: 0.5),
        FaultCase(.latency, "=> latency 800ms jitter=700ms", chance: 1),
        FaultCase(.latency, "command:c => latency 3s jitter=3s", chance: 0.2),
        FaultCase(.bandwidth, "=> bandwidth 200", chance: 1),
        FaultCase(.slice, "=> slice 7 pause=20ms", chance: 0.5),
        FaultCase(.stall, "command:c => stall", chance: 0.02),
        FaultCase(.stall, "method:GET => stall sender=server", chance: 0.5),
        FaultCase(.cut, "=> cut 3000 how=reset", chance: 1),
        FaultCase(.blackout, "=> blackout from=2s to=30s per=client"),
        FaultCase(.blackout, "command:c => blackout for=1s", chance: 0.05),
        FaultCase(.close, "command:c => close", chance: 0.02),
        FaultCase(.reset, "command:c => reset", chance: 0.02),
        FaultCase(.halfClose, "command:c => half-close", chance: 0.02),
        FaultCase(.closeCode, "command:c => close-code 1012 reason=restart", chance: 0.02),
        FaultCase(.refuse, "=> refuse first=3 per=client"),
        FaultCase(.tlsFailure, "=> tls-failure first=2 per=client"),
        FaultCase(.expiredCertificate, "=> expired-certificate first=2 per=client"),
    ]

    /// A change that did not come, where nothing in what follows tells so.
    private static let lost = FaultPromise.sameAfterNextChange(
        because: "the change of another object that comes next moves the client's change version "
            + "past the lost one, which cv then leaves out; the next change of the object itself "
            + "has an sv that the client has not")
}
