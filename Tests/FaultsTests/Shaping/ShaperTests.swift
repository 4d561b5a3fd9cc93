import Faults
import Testing
import Wire

/// A fault on a whole connection.
private func firing(
    _ kind: ActionKind, _ arguments: [String: FaultAction.Argument] = [:],
    window: Range<Int64>? = nil, draw: UInt64 = 7
) -> Firing {
    Firing(
        rule: "r", action: FaultAction(kind, arguments), scope: "", occurrence: 1, draw: draw,
        window: window)
}

private let second: Int64 = 1_000_000_000

private func shape(_ shaper: inout Shaper, _ commands: [GateCommand], at: Int64) -> [GateCommand] {
    var shaped: [GateCommand] = []
    shaper.shape(commands, at: Instant(nanoseconds: at), into: &shaped)
    return shaped
}

@Suite struct ShaperTests {
    @Test func `lets everything through where nothing was asked of it`() {
        var shaper = Shaper()
        let commands: [GateCommand] = [
            .pass(sender: .client, [1, 2]), .replace(sender: .server, [1], by: [2]), .swallowed,
        ]
        #expect(shaper.isIdle)
        #expect(shape(&shaper, commands, at: 5) == commands)
    }

    @Test func `holds what comes for the latency of its direction alone`() {
        var shaper = Shaper()
        let added = shaper.add(
            firing(.latency, ["by": .duration(second), "sender": .text("server")]), at: .zero)
        #expect(added)
        #expect(
            shape(&shaper, [.pass(sender: .server, [1])], at: 10) == [
                .hold(sender: .server, until: Instant(nanoseconds: second + 10)),
                .pass(sender: .server, [1]),
            ])
        #expect(
            shape(&shaper, [.pass(sender: .client, [1])], at: 10) == [.pass(sender: .client, [1])])
    }

    @Test func `draws another jitter from another seed`() {
        let runs = (1...5).map { (seed: UInt64) -> [GateCommand] in
            var shaper = Shaper()
            _ = shaper.add(
                firing(
                    .latency, ["by": .duration(100), "jitter": .duration(50)], draw: seed),
                at: .zero)
            return (0..<20).flatMap { shape(&shaper, [.pass(sender: .client, [1])], at: $0 * 1000) }
        }
        for (place, run) in runs.enumerated() { #expect(!runs[..<place].contains(run)) }
    }

    @Test(arguments: [[0, 1, 2], [2, 1, 0], [1, 2, 0]])
    func `waits for the end of blackouts that follow one another`(order: [Int64]) {
        var shaper = Shaper()
        for place in order {
            _ = shaper.add(firing(.blackout, window: place * 10..<(place + 1) * 10), at: .zero)
        }
        #expect(
            shape(&shaper, [.pass(sender: .client, [1])], at: 5)
                == [
                    .hold(sender: .client, until: Instant(nanoseconds: 30)),
                    .pass(sender: .client, [1]),
                ])
    }

    @Test(arguments: [1, 2, 3] as [UInt64])
    func `draws the same jitter from the same seed and stays within it`(seed: UInt64) {
        var runs: [[GateCommand]] = []
        for _ in 0..<2 {
            var shaper = Shaper()
            _ = shaper.add(
                firing(
                    .latency, ["by": .duration(100), "jitter": .duration(50)], draw: seed),
                at: .zero)
            runs.append(
                (0..<20).flatMap { shape(&shaper, [.pass(sender: .client, [1])], at: $0 * 1000) })
        }
        #expect(runs[0] == runs[1])
        var moments: Set<Int64> = []
        for (index, command) in runs[0].enumerated() {
            guard case .hold(_, let until) = command else { continue }
            let waited = until.nanoseconds - Int64(index / 2) * 1000
            #expect((50...150).contains(waited))
            moments.insert(waited)
        }
        #expect(moments.count > 3)
    }

    @Test func `lets a tenth of a second of bytes through in a tenth of a second`() {
        var shaper = Shaper()
        _ = shaper.add(firing(.bandwidth, ["rate": .integer(1000)]), at: .zero)
        let shaped = shape(
            &shaper, [.pass(sender: .server, Array(repeating: 9, count: 100))], at: 0)
        let last = shaped.compactMap { command -> Int64? in
            if case .hold(_, let until) = command { until.nanoseconds } else { nil }
        }.max()
        #expect(last == second / 10)
        let bytes = shaped.flatMap { command -> [UInt8] in
            if case .pass(_, let bytes) = command { bytes } else { [] }
        }
        #expect(bytes == Array(repeating: 9, count: 100))
    }

    @Test func `slices with a pause between`() {
        var shaper = Shaper()
        _ = shaper.add(
            firing(.slice, ["size": .integer(2), "pause": .duration(10)]), at: .zero)
        #expect(
            shape(&shaper, [.pass(sender: .client, [1, 2, 3, 4, 5])], at: 100) == [
                .pass(sender: .client, [1, 2]),
                .hold(sender: .client, until: Instant(nanoseconds: 110)),
                .pass(sender: .client, [3, 4]),
                .hold(sender: .client, until: Instant(nanoseconds: 120)),
                .pass(sender: .client, [5]),
            ])
    }

    @Test func `cuts behind the byte it was told and keeps the rest from the receiver`() {
        var shaper = Shaper()
        let cut = firing(
            .cut, ["at": .integer(3), "sender": .text("server"), "how": .text("reset")])
        _ = shaper.add(cut, at: .zero)
        #expect(
            shape(&shaper, [.pass(sender: .server, [1, 2])], at: 0) == [
                .pass(sender: .server, [1, 2])
            ])
        #expect(
            shape(&shaper, [.pass(sender: .server, [3, 4])], at: 0) == [
                .pass(sender: .server, [3]),
                .fault(
                    cut.row(at: .zero, connection: nil, sender: .server, hasTaken: true)),
                .replace(sender: .server, [4], by: []), .close(isReset: true),
            ])
    }

    @Test func `moves nothing in a blackout and goes on at its end`() {
        var shaper = Shaper()
        _ = shaper.add(firing(.blackout, window: 10..<20), at: .zero)
        #expect(
            shape(&shaper, [.pass(sender: .client, [1])], at: 9) == [.pass(sender: .client, [1])])
        #expect(
            shape(&shaper, [.pass(sender: .client, [2])], at: 10) == [
                .hold(sender: .client, until: Instant(nanoseconds: 20)),
                .pass(sender: .client, [2]),
            ])
        #expect(
            shape(&shaper, [.pass(sender: .client, [3])], at: 20) == [.pass(sender: .client, [3])])
    }

    @Test func `puts the first piece of a replacement in the place of what came`() {
        var shaper = Shaper()
        _ = shaper.add(firing(.slice, ["size": .integer(1)]), at: .zero)
        #expect(
            shape(&shaper, [.replace(sender: .server, [7, 7, 7], by: [1, 2])], at: 0) == [
                .replace(sender: .server, [7, 7, 7], by: [1]), .make(sender: .server, [2]),
            ])
    }

    @Test func `stalls for good`() {
        var shaper = Shaper()
        _ = shaper.add(firing(.stall), at: .zero)
        #expect(
            shape(&shaper, [.pass(sender: .server, [1])], at: 0) == [
                .stall(sender: .server), .pass(sender: .server, [1]),
            ])
    }

    @Test func `leaves other actions to others`() {
        var shaper = Shaper()
        let isTaken = shaper.add(firing(.status, ["code": .integer(503)]), at: .zero)
        #expect(!isTaken)
    }
}
