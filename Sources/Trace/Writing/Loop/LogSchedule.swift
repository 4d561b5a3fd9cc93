internal import Storage

/// When the write-ahead log is moved into the file: a value without I/O.
///
/// Moving it waits for the disk twice, so it is done in the background. But a log that grows
/// meanwhile is never moved completely, and only then does it restart; so when it has become long
/// and the background has just moved nearly all of it, the writer moves the rest between two
/// commits.
struct LogSchedule {
    /// The step after a commit.
    enum Step: Hashable {
        case nothing
        /// Move the log in the background.
        case background
        /// Move the rest, before the next commit, once the background is done.
        case finish
    }

    /// Frames of the log after which the background moves it.
    let few: Int64
    /// Frames after which the rest is moved as well.
    let many: Int64
    /// The maximum number of frames, as long as no reader holds them.
    let most: Int64
    /// Frames of the log as of the last step that was taken.
    private var asked: Int64 = 0
    private var before: Int64 = 0
    /// Whether the background has moved something since the writer did.
    private var isPrepared = false

    /// Frames of a log of 16 MiB.
    static let usual = (16 << 20) / TraceFile.pageSize

    /// A schedule that lets the log grow to somewhat more than `many` frames, and where the disk is
    /// slow or traffic is heavy, to `most` and what one commit adds.
    init(many: Int64 = usual, most: Int64? = nil) {
        self.many = many
        self.most = most ?? 16 * many
        few = min((2 << 20) / TraceFile.pageSize, max(16, many / 4))
    }

    /// The step when the log has `frames`.
    ///
    /// `last` is the progress of the last background run, `isBusy` whether it runs now.
    mutating func next(frames: Int64, last: LogState, isBusy: Bool) -> Step {
        if frames < before { (asked, isPrepared) = (0, false) }
        before = frames
        if frames >= most, frames >= asked + few, !last.isHeld || last.frames > frames {
            (asked, isPrepared) = (frames, false)
            return .finish
        }
        guard !isBusy else { return .nothing }
        // Its result is obsolete for a log that restarted since then.
        let rest = frames - (last.frames <= frames && asked > 0 ? last.moved : 0)
        if frames >= many, isPrepared, !last.isHeld, rest <= 2 * few {
            (asked, isPrepared) = (frames, false)
            return .finish
        }
        guard rest >= few, frames >= asked + (isPrepared && !last.isHeld ? 0 : few) else {
            return .nothing
        }
        (asked, isPrepared) = (frames, true)
        return .background
    }
}
