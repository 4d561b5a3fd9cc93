import Framing
import Wire

/// Requests that cannot be framed, or do not end.
extension Relay {
    /// The client's bytes from `position` on are not HTTP: they are forwarded unread where there is
    /// only one possible server, and are refused elsewhere.
    ///
    /// - Returns: Whether the bytes are forwarded.
    mutating func giveUpFraming(
        _ read: HeldBytes, from position: Int, _ error: HTTPFramingError,
        _ commands: inout [RelayCommand]
    ) -> Bool {
        guard fixed != nil else {
            guard !clientEnds.isRelayOver else {
                lose(read.dropFirst(position), &commands)
                return false
            }
            recordForTapedeck(read.dropFirst(position), nil, &commands)
            refuse(400, "Bad Request", "tapedeck: \(error)", read.at, &commands)
            return false
        }
        return passHeadUnread(read.at, &commands)
    }

    /// Forwards what was held of a head that cannot be read, as a request that has an answer.
    private mutating func passHeadUnread(
        _ at: Instant, _ commands: inout [RelayCommand]
    ) -> Bool {
        guard let fixed, !clientEnds.isRelayOver, let leg = liveLeg(to: fixed, at, &commands) else {
            current = nil
            flushPartial([], from: 0, &commands)
            return true
        }
        current = leg
        flushPartial([], from: 0, &commands)
        outstanding.append(RelayRequest(leg: leg, kind: .other, proxyName: ""))
        update(leg) { $0.responses.expect(.other) }
        scan.giveUpFraming()
        requests.resume(.tunnel)
        return true
    }

    /// The rest of a head does not arrive, or not in time: it is forwarded unchanged.
    mutating func giveUpHeads(_ at: Instant, _ commands: inout [RelayCommand]) {
        for index in legs.indices
        where !legs[index].scan.partial.isEmpty || legs[index].responses.heldBytes > 0 {
            legs[index].responses.giveUp()
            legs[index].scan.giveUpFraming()
            flushPartial(index, [], from: 0, &commands)
        }
        if case .hello(let held, let since) = phase {
            passUnread(HeldBytes(held[...], at: since), at, &commands)
        }
        if case .socks = phase { refuseSOCKS([], "the negotiation does not end", at, &commands) }
        giveUpRequest(at, &commands)
        giveUpTrailers(at, &commands)
    }

    /// The rest of a request's head does not come.
    mutating func giveUpRequest(_ at: Instant, _ commands: inout [RelayCommand]) {
        guard case .http = phase, blocked == nil else { return }
        guard isHoldingRequest || requests.isInHead else { return }
        guard fixed == nil else {
            _ = passHeadUnread(at, &commands)
            return
        }
        let nothing = HeldBytes([], at: at, start: scan.offset)
        guard !clientEnds.isRelayOver else { return lose(nothing, &commands) }
        recordForTapedeck(nothing, nil, &commands)
        let detail =
            requests.isInHeadWithoutVersion
            ? "this request names no version of HTTP, and so no host"
            : "the head of this request does not end"
        refuse(400, "Bad Request", "tapedeck: \(detail)", at, &commands)
    }

    /// The trailers of a forwarded request exceed the limit.
    private mutating func giveUpTrailers(_ at: Instant, _ commands: inout [RelayCommand]) {
        guard case .http = phase, blocked == nil, scan.isFramed, requests.heldBytes > 0 else {
            return
        }
        requests.giveUp()
        scan.giveUpFraming()
        guard fixed == nil, !clientEnds.isRelayOver else { return }
        refuse(
            400, "Bad Request", "tapedeck: the trailers of this request do not end", at, &commands)
    }
}
