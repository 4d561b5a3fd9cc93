import Framing
import Proxying

/// The client of one connection: what it says, in which order, and how it ends.
struct ClientModel {
    /// What the client believes to speak.
    enum Scene: Hashable {
        case http
        case webSocket
        /// Something else.
        case raw
    }

    /// What the client waits for before it says more.
    enum Wait: Hashable {
        /// So many bytes have come, or a whole head has come behind them.
        case head(from: Int)
        /// It was said behind so many bytes that the tunnel is open.
        case established(from: Int)
        /// TLS is up, or bytes have come behind so many that tell that it will not be.
        case secured(from: Int)
        /// So many bytes have come.
        case bytes(Int)
    }

    /// How the client takes its leave.
    enum Ending: Hashable { case end, close, reset }

    let plan: WorldPlan
    private(set) var scene = Scene.http
    private(set) var wait: Wait?
    /// How many CONNECTs deep it is.
    private(set) var depth = 0
    private var isSecured = false
    private var itemsLeft: Int
    private var number: Int
    /// The server that the tunnel leads to.
    private var tunnel: String?
    private(set) var said = 0
    /// What the client has received.
    private(set) var got: [UInt8] = []
    private(set) var requests = 0
    var outbox = ByteQueue()
    var ending: Ending?
    var isSecuring = false
    /// What is still to be said of SOCKS.
    private var negotiation: [[UInt8]] = []
    /// What says that the last tunnel is open.
    private var established = Speech.established

    init(_ plan: WorldPlan, number: Int, _ chance: inout Chance) {
        self.plan = plan
        self.number = number
        itemsLeft = 1 + chance.below(plan.most)
        if plan.startsWithTLS { say(Speech.hello(chance.percent(70) ? "a.example" : nil)) }
        if plan.startsWithTLS { wait = .secured(from: 0) }
        if plan.way != .usual { enter(&chance) }
    }

    /// Begins in a tunnel to its server, which may have to be asked for.
    private mutating func enter(_ chance: inout Chance) {
        depth = 1
        tunnel = "\(plan.server.host):\(plan.server.port)"
        negotiation = plan.way.negotiation(plan.server)
        established = plan.way.granted
        let isHasty = !negotiation.isEmpty && chance.percent(20)
        if negotiation.isEmpty { tunnelStart = 0 }
        if isHasty {
            say(negotiation.flatMap(\.self))
            negotiation = []
        }
        switch chance.below(4) {
        case 0: helloIsNext = true
        case 1: scene = .raw
        default: break
        }
    }

    /// Says the next piece of a negotiation, and waits for its answer.
    private mutating func negotiate() {
        say(negotiation.removeFirst())
        wait = negotiation.isEmpty ? .established(from: 0) : .bytes(got.count + 2)
    }

    /// Whether there is nothing more that it wants to say.
    var isDone: Bool { itemsLeft == 0 && outbox.isEmpty }
    /// Whether it could say something now.
    var maySpeak: Bool { itemsLeft > 0 && wait == nil && outbox.count < 100_000 }

    private mutating func say(_ bytes: [UInt8]) {
        outbox.append(bytes)
        said += bytes.count
    }

    mutating func take(_ bytes: [UInt8]) {
        let before = got.count
        got += bytes
        switch wait {
        case .head(let from):
            if find([13, 10, 13, 10], since: max(from, before - 3)) != nil { wait = nil }
        case .established(let from):
            if findTunnel(since: max(from, before)) { wait = nil }
        case .secured(let from) where !isSecuring:
            // Whoever gets bytes instead of a handshake does not speak with Tapedeck.
            let isOpen = depth == 0 || findTunnel(since: max(from, before))
            if isOpen, got.count > max(from, tunnelStart ?? 0) { (scene, wait) = (.raw, nil) }
        case .bytes(let count):
            if got.count >= count { wait = nil }
        default: break
        }
    }

    /// Where the bytes begin that come in a tunnel; nil where it is not open.
    private var tunnelStart: Int?

    /// Whether it was said that the tunnel is open; bytes before `since` are known.
    private mutating func findTunnel(since: Int) -> Bool {
        if tunnelStart == nil {
            let known = established
            tunnelStart = find(known, since: max(tunnelFrom, since - known.count + 1)).map {
                $0 + known.count
            }
        }
        return tunnelStart != nil
    }

    private func find(_ wanted: [UInt8], since: Int) -> Int? {
        guard got.count >= since + wanted.count else { return nil }
        for start in since...got.count - wanted.count where got[start] == wanted[0] {
            if got[start..<start + wanted.count].elementsEqual(wanted) { return start }
        }
        return nil
    }

    /// TLS is up.
    mutating func secured() {
        isSecuring = false
        isSecured = true
        if case .secured = wait { wait = nil }
    }

    /// Waits for nothing any more.
    mutating func losePatience() { wait = nil }

    /// Says nothing more.
    mutating func finish() { itemsLeft = 0 }

    /// Says the next thing.
    mutating func speak(_ chance: inout Chance) {
        if !negotiation.isEmpty { return negotiate() }
        if helloIsNext { return greet() }
        itemsLeft -= 1
        number += 1
        switch scene {
        case .http: speakHTTP(&chance)
        case .webSocket: sayMessage(&chance)
        case .raw: say(Speech.content(number, 1 + chance.size(most: plan.largest)))
        }
        if !plan.isPolite, chance.percent(3) { ending = chance.pick([.end, .close, .reset]) }
    }

    private mutating func sayMessage(_ chance: inout Chance) {
        say(Speech.message(number, isClient: true, largest: plan.largest, &chance))
    }

    private mutating func speakHTTP(_ chance: inout Chance) {
        if !plan.isPolite, chance.percent(25) { return misspeak(&chance) }
        switch chance.below(20) {
        case 0..<3 where canConnect: connect(&chance)
        case 3: upgrade(&chance)
        case 4:
            for _ in 0..<chance.size(most: plan.pipelined) { ask(&chance) }
        default: ask(&chance)
        }
    }

    private var canConnect: Bool {
        guard depth < 3 else { return false }
        if depth > 0 { return plan.features.contains(.nestedTunnels) }
        return plan.isForward || plan.features.contains(.connectToServer)
    }

    private func target(_ chance: inout Chance) -> (String, String) {
        let path = "/\(number)"
        guard plan.isForward, depth == 0 else { return (path, tunnel ?? "proxy.example") }
        let host = plan.isPolite || chance.percent(70) ? chance.pick(plan.hosts) : "a.example"
        return ("\(chance.percent(10) ? "https" : "http")://\(host)\(path)", host)
    }

    private mutating func ask(_ chance: inout Chance) {
        number += 1
        requests += 1
        let (target, host) = target(&chance)
        let request = Speech.request(
            number, target: target, host: host, largest: plan.largest, &chance)
        say(request.bytes)
    }

    private mutating func upgrade(_ chance: inout Chance) {
        requests += 1
        let (target, host) = target(&chance)
        let request = Speech.upgrade(number, target: target, host: host, &chance)
        say(request.bytes)
        if !plan.isPolite, chance.percent(30) {
            // What a hasty client sends behind it.
            sayMessage(&chance)
        }
        wait = .head(from: got.count)
        scene = plan.refusesUpgrades ? .http : request.isWebSocket ? .webSocket : .raw
    }

    private mutating func connect(_ chance: inout Chance) {
        let host = chance.pick(["a.example:443", "b.example:80", "c.example:443"])
        depth += 1
        tunnel = host
        established = Speech.established
        say(Speech.connect(host, &chance))
        let isHasty = chance.percent(plan.isPolite && depth > 1 ? 0 : 30)
        let from = got.count
        (tunnelFrom, tunnelStart) = (from, nil)
        if !isHasty { wait = .established(from: from) }
        if plan.features.contains(.nestedTunnels), depth < 3, chance.percent(20) {
            return
        }
        switch chance.below(3) {
        case 0 where !isSecured && depth == 1:
            if isHasty { greet() } else { helloIsNext = true }
        case 1:
            scene = .raw
        default:
            break
        }
    }

    /// How many bytes had come when the last tunnel was asked for.
    private var tunnelFrom = 0
    /// Whether TLS begins as soon as the tunnel is open.
    private(set) var helloIsNext = false

    /// Begins with TLS where that is what comes next.
    private mutating func greet() {
        helloIsNext = false
        say(Speech.hello("c.example"))
        wait = .secured(from: tunnelFrom)
    }

    /// Says what no client should say.
    private mutating func misspeak(_ chance: inout Chance) {
        let host = chance.pick(plan.hosts)
        let (target, _) = target(&chance)
        switch chance.below(40) {
        case 0 where plan.hasHugeHeads:
            say(Array("GET \(target) HTTP/1.1\r\nX: ".utf8) + Speech.content(number, 300_000))
        case 1 where plan.hasHugeHeads:
            let fields = String(repeating: "a: b\r\n", count: 4_200)
            say(Array("GET \(target) HTTP/1.1\r\n\(fields)\r\n".utf8))
        case 2: say(Speech.content(number, chance.size(most: plan.largest)))
        case 3 where depth == 0 || plan.features.contains(.nestedTunnels):
            if plan.isForward || plan.features.contains(.connectToServer) { connect(&chance) }
        default:
            let text = Speech.oddRequest(number, target: target, host: host, &chance)
            if text.hasPrefix("CONNECT"), !canConnect { return }
            say(Array(text.utf8))
        }
    }
}
