import Faults
import Foundation
import Serving

/// Reads the plan again when one of its files changes.
actor PlanReloading {
    /// The attributes that identify the state of a file.
    private struct Stamp: Equatable {
        let seconds: Int
        let nanoseconds: Int
        let size: Int64
        let node: UInt64
    }

    private let files: ControlConfiguration.PlanFiles
    private let session: FaultSession
    private let notice: @Sendable (String) -> Void
    /// The state that was read.
    private var known: [Stamp]?
    /// The state at the last check: a file that still changes is not read yet.
    private var seen: [Stamp]?
    private var isGone = false

    /// Whether the session's rules are those of the files.
    init(
        _ files: ControlConfiguration.PlanFiles, session: FaultSession,
        notice: @escaping @Sendable (String) -> Void
    ) {
        self.files = files
        self.session = session
        self.notice = notice
    }

    /// Checks the files until the task is cancelled.
    func watch(every pause: Duration) async {
        while !Task.isCancelled {
            look()
            guard (try? await Task.sleep(for: pause)) != nil else { return }
        }
    }

    /// Reads the plan where a file changed and the change is over.
    func look() {
        guard let stamp = stamps() else {
            if !isGone {
                isGone = true
                notice("the plan \(names) cannot be read; the rules stay as they are")
            }
            return
        }
        isGone = false
        defer { seen = stamp }
        guard stamp != known, stamp == seen else { return }
        known = stamp
        do throws(ServedProblem) {
            let plan = try read()
            guard plan.rules != session.rules.filter(\.isPlanned).map(\.rule) else { return }
            take(plan)
        } catch {
            let drawing = error.place.map { "\n\($0.drawing)" } ?? ""
            notice("\(error.message)\(drawing)\nthe rules stay as they are")
        }
    }

    /// Reads the plan now.
    func reload() throws(ServedProblem) {
        known = stamps()
        take(try read())
    }

    private func take(_ plan: FaultPlan) {
        session.replace(plan)
        let count = plan.rules.count
        notice("the plan \(names) was reloaded: \(count) rule\(count == 1 ? "" : "s")")
        if let seed = plan.seed, seed != session.seed {
            notice("the seed stays \(session.seed): it cannot change while traffic runs")
        }
    }

    private var names: String { files.paths.joined(separator: ", ") }

    private func read() throws(ServedProblem) -> FaultPlan {
        var plans: [FaultPlan] = []
        for path in files.paths { plans.append(try read(path)) }
        do throws(FaultPlanError) {
            return try files.compose(plans)
        } catch {
            throw ServedProblem(error, code: "bad-plan")
        }
    }

    private func read(_ path: String) throws(ServedProblem) -> FaultPlan {
        guard let size = stamp(path)?.size, size <= FaultPlan.maximumSize,
            let data = FileManager.default.contents(atPath: path)
        else {
            throw ServedProblem(
                409, "no-plan-file",
                "the plan \(path) cannot be read, or is longer than \(FaultPlan.maximumSize) bytes",
                hint: "restore the file; the rules stay as they are")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw ServedProblem(
                422, "bad-plan", "the plan \(path) is not UTF-8",
                hint: "convert it to UTF-8; the rules stay as they are")
        }
        do throws(FaultPlanError) {
            return try FaultPlan.parse(yaml: text, recordings: session.recordings)
        } catch {
            throw ServedProblem(error, code: "bad-plan", file: path)
        }
    }

    /// The states of all files; nil where one is missing.
    private func stamps() -> [Stamp]? {
        let stamps = files.paths.compactMap(stamp)
        return stamps.count == files.paths.count ? stamps : nil
    }

    private func stamp(_ path: String) -> Stamp? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return Stamp(
            seconds: status.st_mtim.tv_sec, nanoseconds: status.st_mtim.tv_nsec,
            size: Int64(status.st_size), node: UInt64(status.st_ino))
    }
}

extension ServedProblem.Place {
    /// The line, and a mark under what is wrong.
    var drawing: String {
        let start = String(repeating: " ", count: range.lowerBound)
        return "  \(text)\n  \(start)\(String(repeating: "^", count: max(1, range.count)))"
    }
}
