internal import Wire

extension RecordedExchanges {
    /// The host that all exchanges have, as they name it; nil where there are several or none.
    public var onlyHost: String? { hosts.count == 1 ? hosts.first.map { shown($0[...]) } : nil }

    /// The host of a live request, as exchanges name it.
    ///
    /// A client that uses a proxy names the target host. Others name an address that was never
    /// recorded, and are mapped to the host that has their method and path.
    ///
    /// - Parameters:
    ///   - name: Name or address that the client gives, in lower case; nil where it gives none.
    ///   - port: TCP port with it.
    ///   - method: Method of the request.
    ///   - path: Path of the request, without query.
    /// - Returns: A recorded host where there is one; `name` where no recorded host fits.
    public func host(
        meantBy name: String?, port: Int, method: String, path: String
    ) -> String {
        if hosts.count <= 1 { return hosts.first.map { shown($0[...]) } ?? name ?? "" }
        if let name {
            let full = "\(name):\(port)"
            if hosts.contains(full) { return shown(full[...]) }
            let shown = host(name, port: port)
            if hosts.contains(name) || hosts(shownAs: name).contains(where: hosts.contains) {
                return shown
            }
        }
        let fitting = hosts.filter { target(method, $0, path) != nil }.min()
        if let fitting { return shown(fitting[...]) }
        return socketHost(method, path) ?? name ?? ""
    }

    /// The host of the first SockJS session of an application; names of sessions are generated.
    private func socketHost(_ method: String, _ path: String) -> String? {
        let wanted = path.split(separator: "/", omittingEmptySubsequences: false)
        guard wanted.count == 7, wanted[1] == "sock" else { return nil }
        for number in 0..<UInt32(truncatingIfNeeded: targets.count) where mayBeSocket(number) {
            let (other, host, path) = parts(of: number)
            let steps = path.split(separator: "/", omittingEmptySubsequences: false)
            if other == method, steps.count == 7, steps.prefix(4) == wanted.prefix(4) {
                return host
            }
        }
        return nil
    }
}
