import Filters
public import Wire

extension FaultSession {
    /// Evaluates the rules for a host that is about to be connected to, or whose TLS begins.
    ///
    /// - Parameters:
    ///   - host: Name or address of the host.
    ///   - port: Its TCP port.
    ///   - context: The connection of the client that requests it.
    ///   - at: When.
    /// - Returns: What is to be done.
    public func judgeOpening(
        host: String, port: Int, _ context: GateContext, at: Instant
    ) -> [Firing] {
        judge(
            ConnectionSubject(context, host: host, port: port), phase: .handshake,
            scope: FaultScope(
                connection: context.connection, client: context.client, key: host), at: at)
    }
}
