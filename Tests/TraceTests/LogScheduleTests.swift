import Storage
import Testing

@testable import Trace

@Suite struct LogScheduleTests {
    private static let none = LogState(frames: 0, moved: 0)

    @Test func `moves in the background and finishes once little is left`() {
        var schedule = LogSchedule(many: 1_024)
        #expect(schedule.few == 256)
        #expect(schedule.next(frames: 255, last: Self.none, isBusy: false) == .nothing)
        #expect(schedule.next(frames: 300, last: Self.none, isBusy: false) == .background)
        #expect(schedule.next(frames: 1_050, last: Self.none, isBusy: true) == .nothing)
        // More came meanwhile than is moved quickly.
        let behind = LogState(frames: 300, moved: 300)
        #expect(schedule.next(frames: 1_100, last: behind, isBusy: false) == .background)
        let near = LogState(frames: 1_100, moved: 1_100)
        #expect(schedule.next(frames: 1_150, last: near, isBusy: false) == .finish)
        // A reader kept it from beginning anew: not with every commit.
        #expect(schedule.next(frames: 1_155, last: near, isBusy: false) == .nothing)
        #expect(schedule.next(frames: 1_450, last: near, isBusy: false) == .background)
        // The log began anew.
        #expect(schedule.next(frames: 50, last: near, isBusy: false) == .nothing)
        #expect(schedule.next(frames: 256, last: near, isBusy: false) == .background)
    }

    @Test func `finishes whatever is left when the background never catches up`() {
        var schedule = LogSchedule(many: 1_024, most: 4_096)
        var moved: Int64 = 0
        var frames: Int64 = 0
        var steps: [LogSchedule.Step] = []
        while frames < 8_192, steps.last != .finish {
            frames += 1_000
            let last = LogState(frames: moved, moved: moved)
            steps.append(schedule.next(frames: frames, last: last, isBusy: false))
            if steps.last == .background { moved = frames - 900 }
        }
        #expect(steps.last == .finish)
        #expect(frames <= 5_000)
    }

    @Test func `does not wait for a slow background beyond the most there may be`() {
        var schedule = LogSchedule(many: 128, most: 256)
        #expect(schedule.next(frames: 200, last: Self.none, isBusy: false) == .background)
        #expect(schedule.next(frames: 250, last: Self.none, isBusy: true) == .nothing)
        #expect(schedule.next(frames: 300, last: Self.none, isBusy: true) == .finish)
        #expect(schedule.next(frames: 310, last: Self.none, isBusy: true) == .nothing)
        #expect(schedule.next(frames: 400, last: Self.none, isBusy: true) == .finish)
    }

    @Test func `a log that a reader holds is tried now and then and never by the writer`() {
        var schedule = LogSchedule(many: 1_024)
        var backgrounds = 0
        for frames in stride(from: Int64(10), to: 20_000, by: 10) {
            let last = frames < 300 ? Self.none : LogState(frames: frames - 10, moved: 200)
            switch schedule.next(frames: frames, last: last, isBusy: false) {
            case .nothing: break
            case .background: backgrounds += 1
            case .finish: Issue.record("at \(frames)")
            }
        }
        #expect((20...80).contains(backgrounds))
    }
}
