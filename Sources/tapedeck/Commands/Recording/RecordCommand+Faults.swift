import Control
import Faults
import Proxying
import Sessions
import Trace
import Wire

/// The fault rules, and the control interface that changes them.
extension RecordCommand {
    /// The rules; nil where there are none and none can be added.
    func rules() throws(Failure) -> FaultSession? {
        let plan = try faults.plan()
        let isControlled = control.path(trace: trace) != nil || control.loopback != nil
        guard plan != nil || isControlled || !hold.isEmpty || !addons.addon.isEmpty else {
            return nil
        }
        let session = faults.session(of: plan ?? FaultPlan())
        for (index, filter) in hold.enumerated() {
            do {
                for rule in try FaultRule.holding(filter, named: "hold-option-\(index + 1)") {
                    try session.add(rule)
                }
            } catch let error as FaultPlanError {
                throw Failure(.usage, "--hold: \(error.report())")
            } catch {
                throw Failure(.usage, "--hold: \(error)")
            }
        }
        if !hold.isEmpty {
            StandardError.write(
                isControlled
                    ? "tapedeck: holds what --hold finds, each for 5 minutes at most; tapedeck hold \(trace) shows and decides\n"
                    : "tapedeck: --hold without a control interface: nobody can decide, and each message waits 5 minutes\n"
            )
        }
        if let count = plan?.rules.count {
            StandardError.write(
                "tapedeck: \(count) fault rule\(count == 1 ? "" : "s"), seed \(session.seed)\n")
        }
        return session
    }

    /// Opens the control interface unless it is disabled.
    func openControl(
        _ rules: FaultSession?, _ proxy: ProxyServer, _ writer: TraceWriter
    ) async throws(Failure) -> ControlServer? {
        let path = control.path(trace: trace)
        guard let rules, path != nil || control.loopback != nil else { return nil }
        var configuration = ControlConfiguration(
            session: rules,
            connections: {
                await proxy.openConnections().map {
                    ControlConnection(
                        id: $0.id, client: $0.client, server: $0.server, openedAt: $0.openedAt,
                        isWebSocket: $0.isWebSocket)
                }
            },
            fire: { await proxy.fire($0, on: $1) },
            now: { writer.now() },
            mark: { _ = writer.put([.mark($0)]) },
            version: Program.version,
            notice: { StandardError.write("tapedeck: \($0)\n") })
        configuration.held = { await proxy.held() }
        configuration.decide = { await proxy.decide($0, $1) }
        configuration.planFiles = faults.planFiles
        configuration.unixPath = path
        configuration.loopback = control.loopback
        do {
            return try await ControlServer.start(configuration)
        } catch {
            throw Failure(error)
        }
    }

    /// Judges what was done to the traffic, and names the rules that matched nothing, since a
    /// filter may have a mistake.
    ///
    /// - Returns: What fails a command: the faults without a recovery, and with `--fail-on undecided`
    ///   those about which that cannot be said.
    func sayWhatBecameOfFaults(_ unmatched: [String], _ writer: TraceWriter) -> [String] {
        let trace = writer.path
        for name in unmatched {
            StandardError.write("tapedeck: the fault rule \(name) matched nothing\n")
        }
        guard let judgement = try? FaultJudgement.judge(trace: trace, session: writer.session),
            judgement.sessions.contains(where: { !$0.faults.isEmpty })
        else { return [] }
        StandardError.write(
            "tapedeck: \(FaultsReportText.summary(judgement)); tapedeck faults report \(trace) shows how\n"
        )
        let lost = judgement.count(.notRecovered)
        let open = failOn == .undecided ? judgement.count(.undecided) : 0
        return (lost == 0 ? [] : ["\(Summary.count(Int64(lost), "fault")) not recovered from"])
            + (open == 0 ? [] : ["\(Summary.count(Int64(open), "fault")) undecided"])
    }
}
