import Testing

@testable import Proxying

/// A negotiation whose bytes come one by one, all at once and in two parts gives the same.
@Suite struct SOCKSNegotiationTests {
    private typealias Step = SOCKSNegotiation.Step

    /// What follows from the bytes, however they are cut, and what is left of them.
    private func play(
        _ bytes: [UInt8], _ credentials: SOCKSCredentials? = nil,
        at location: SourceLocation = #_sourceLocation
    ) -> (steps: [Step], rest: [UInt8]) {
        func result(cuts: [Int]) -> ([Step], [UInt8]) {
            var negotiation = SOCKSNegotiation(credentials: credentials)
            var steps: [Step] = []
            var start = 0
            for end in cuts + [bytes.count] {
                steps += negotiation.consume(bytes[start..<end])
                start = end
            }
            return (steps, negotiation.takeRest())
        }
        let whole = result(cuts: [])
        for cut in bytes.indices {
            let parts = result(cuts: [cut])
            #expect(
                parts.0 == whole.0 && parts.1 == whole.1, "cut at \(cut)", sourceLocation: location)
        }
        let single = result(cuts: Array(bytes.indices))
        #expect(
            single.0 == whole.0 && single.1 == whole.1, "byte by byte", sourceLocation: location)
        return whole
    }

    private static let name: [UInt8] = [5, 1, 0, 3, 9] + Array("Shop.Test".utf8) + [1, 187]

    @Test func `version 5 names a host, and what follows is left for it`() {
        let (steps, rest) = play([5, 1, 0] + Self.name + [0x16, 3])
        #expect(steps == [.send([5, 0]), .connect(host: "shop.test", port: 443)])
        #expect(rest == [0x16, 3])
    }

    @Test func `version 5 gives an address of either kind`() {
        let four = play([5, 2, 0, 2] + [5, 1, 0, 1, 10, 0, 0, 7, 0, 80]).steps
        #expect(four == [.send([5, 0]), .connect(host: "10.0.0.7", port: 80)])
        let address: [UInt8] = [0x20, 0x01, 0x0D, 0xB8] + Array(repeating: 0, count: 11) + [1]
        let six = play([5, 1, 0] + [5, 1, 0, 4] + address + [0, 80]).steps
        #expect(six.last == .connect(host: "2001:db8:0:0:0:0:0:1", port: 80))
    }

    @Test func `a user and a password are taken where nothing else is offered, and checked`() {
        let login: [UInt8] = [1, 3] + Array("ada".utf8) + [6] + Array("secret".utf8)
        let open = play([5, 1, 2] + login + Self.name).steps
        #expect(open.prefix(2) == [.send([5, 2]), .send([1, 0])])
        #expect(open.last == .connect(host: "shop.test", port: 443))
        let wanted = SOCKSCredentials(user: "ada", password: "secret")
        #expect(play([5, 2, 0, 2] + login + Self.name, wanted).steps == open)
        let wrong = SOCKSCredentials(user: "ada", password: "Secret")
        let refused = play([5, 1, 2] + login, wrong).steps
        #expect(
            refused == [.send([5, 2]), .refuse([1, 1], why: "the user or the password is wrong")])
    }

    @Test func `a listener that wants a password serves nobody without`() {
        let wanted = SOCKSCredentials(user: "ada", password: "secret")
        let steps = play([5, 1, 0], wanted).steps
        guard case .refuse([5, 0xFF], _) = steps.first else {
            Issue.record("\(steps)")
            return
        }
        let old = play([4, 1, 0, 80, 10, 0, 0, 7, 0], wanted).steps
        guard case .refuse([0, 93, 0, 0, 0, 0, 0, 0], _) = old.first else {
            Issue.record("\(old)")
            return
        }
    }

    @Test(arguments: [UInt8(2), 3, 9])
    func `other commands than CONNECT are answered as not supported`(command: UInt8) {
        var request = Self.name
        request[1] = command
        let steps = play([5, 1, 0] + request).steps
        guard case .refuse([5, 7, 0, 1, 0, 0, 0, 0, 0, 0], let why) = steps.last else {
            Issue.record("\(steps)")
            return
        }
        #expect(why.contains("not supported"))
        let old = play([4, command, 0, 80, 10, 0, 0, 7, 0]).steps
        guard case .refuse([0, 91, 0, 0, 0, 0, 0, 0], _) = old.last else {
            Issue.record("\(old)")
            return
        }
    }

    @Test func `version 4 gives an address, and 4a a name`() {
        let user = Array("me".utf8) + [0]
        let address = play([4, 1, 0, 80, 10, 0, 0, 7] + user + [71]).steps
        #expect(address == [.connect(host: "10.0.0.7", port: 80)])
        let named = play([4, 1, 1, 187, 0, 0, 0, 1] + user + Array("shop.test".utf8) + [0, 9])
        #expect(named.steps == [.connect(host: "shop.test", port: 443)])
        #expect(named.rest == [9])
    }

    @Test(
        arguments: [
            [5, 0], [5, 1, 0x80], [5, 1, 2, 2], [5, 1, 0, 4], [5, 1, 0, 5, 1, 0, 9, 9],
            [5, 1, 0, 5, 1, 0, 3, 0, 0, 80], [5, 1, 0, 5, 1, 0, 3, 1, 0x0A, 0, 80],
            [5, 1, 0, 5, 1, 0, 3, 1, 0xFF, 0, 80], [5, 1, 0, 5, 1, 0, 1, 1, 2, 3, 4, 0, 0],
            [4, 1, 0, 80, 0, 0, 0, 1, 0, 0],
        ] as [[UInt8]])
    func `what is none is refused`(bytes: [UInt8]) {
        let steps = play(bytes).steps
        guard case .refuse? = steps.last else {
            Issue.record("\(steps)")
            return
        }
    }

    @Test func `names without an end are not waited for`() {
        var negotiation = SOCKSNegotiation()
        let steps = negotiation.consume(
            [4, 1, 0, 80, 1, 2, 3, 4] + Array(repeating: 65, count: 2_000))
        guard case .refuse? = steps.last else {
            Issue.record("\(steps)")
            return
        }
    }

    @Test(arguments: [
        (Unreachable.other, UInt8(1)), (.forbidden, 2), (.noNetwork, 3), (.noHost, 4),
        (.refused, 5), (.timedOut, 6),
    ])
    func `a server that cannot be reached has its code`(cause: Unreachable, code: UInt8) {
        var negotiation = SOCKSNegotiation()
        _ = negotiation.consume([5, 1, 0] + Self.name)
        #expect(negotiation.refused(cause) == [5, code, 0, 1, 0, 0, 0, 0, 0, 0])
        #expect(negotiation.granted == [5, 0, 0, 1, 0, 0, 0, 0, 0, 0])
        var old = SOCKSNegotiation()
        _ = old.consume([4, 1, 0, 80, 10, 0, 0, 7, 0])
        #expect(old.refused(cause) == [0, 91, 0, 0, 0, 0, 0, 0])
        #expect(old.granted == [0, 90, 0, 0, 0, 0, 0, 0])
    }
}
