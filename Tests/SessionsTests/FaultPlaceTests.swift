import ConvergenceWorld
import Notation
import Testing
import Trace
import TraceWorld
import Wire

@testable import FaultWorld

/// Which bytes a fault was done to is no matter of when the trace is written.
@Suite struct FaultPlaceTests {
    @Test(arguments: FaultCase.all)
    func `chance decides when records are written, and faults are at the same places`(
        _ one: FaultCase
    ) throws {
        var scene = try FaultScene(seed: 3, rules: one.lines(), edits: 30, cuts: 2, link: .quick)
        _ = scene.play()
        let records = scene.records
        let together = try places { _ = $0.put(records) }
        var random = SplitMix64(seed: 3)
        let apart = try places { writer in
            for piece in Self.pieces(of: records, using: &random) {
                _ = writer.put(Array(piece))
                writer.flush()
            }
        }
        #expect(together == apart)
        #expect(!together.isEmpty)
    }

    /// Some sixty pieces, such that what was recorded together is in one.
    private static func pieces(
        of records: [Record], using random: inout SplitMix64
    ) -> [ArraySlice<Record>] {
        var pieces: [ArraySlice<Record>] = []
        var start = 0
        var ahead: [FaultRow] = []
        for (index, record) in records.enumerated() {
            switch record {
            case .fault(let fault) where fault.isAhead: ahead.append(fault)
            case .chunk(let chunk):
                ahead.removeAll {
                    $0.connection == chunk.connection && ($0.sender ?? chunk.sender) == chunk.sender
                }
            default: break
            }
            guard ahead.isEmpty, random.next() % UInt64(max(2, records.count / 60)) == 0 else {
                continue
            }
            pieces.append(records[start...index])
            start = index + 1
        }
        return pieces + [records[start...]]
    }

    /// The faults in a trace that is written like this.
    private func places(_ write: (TraceWriter) -> Void) throws -> [FaultDetail] {
        let world = try TraceWorld()
        let writer = try world.writer()
        write(writer)
        writer.finish()
        return try TraceReader(path: world.path("a.tape")).faults(for: nil)
    }
}
