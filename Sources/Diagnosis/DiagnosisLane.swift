public import Wire

/// A share of the rules, for a separate thread.
///
/// Rules follow the evidence independently, and only findings are joined: lanes that are given
/// the same evidence find together what one ``Diagnosis`` finds, in the same order.
///
///     var lanes = (0..<DiagnosisLane.count).map(DiagnosisLane.init)
///     var diagnosis = Diagnosis()
///     for batch in session {
///         diagnosis.join(lanes.indices.map { lanes[$0].observe(batch) })
///     }
///     diagnosis.join(lanes.indices.map { lanes[$0].finish(at: end, isRunning: false) })
public struct DiagnosisLane: Sendable {
    /// A finding, and its place among those of all lanes.
    public struct Found: Sendable {
        let moment: Int
        let check: Int
        let finding: Finding
        /// When the recording ended, for what could not be decided; nil for a finding.
        var endedAt: Instant?
    }

    /// The checks of each lane by their place among all; the changes of Simperium clients take more
    /// time than all the others.
    private static let shares: [[Int]] = [[2], [0, 1, 3, 4, 5, 6]]
    /// Number of lanes.
    public static let count = shares.count

    private var session = SessionView()
    private var checks: [any Check]
    /// Their places among all.
    private let numbers: [Int]
    private var report = Report.gathering()
    private var now = Instant.zero
    /// Steps so far: time that passed, and evidence.
    private var moment = 0

    /// The lane with this number, in 0..<``count``; one without rules beyond that.
    ///
    /// - Parameters:
    ///   - number: The number.
    ///   - patienceNanoseconds: As of the ``Diagnosis`` that it is joined to.
    public init(_ number: Int, patienceNanoseconds: Int64? = nil) {
        let all = Rules.checks(Patience(nanoseconds: patienceNanoseconds))
        let share = Self.shares.indices.contains(number) ? Self.shares[number] : []
        numbers = share.filter { all.indices.contains($0) }
        checks = numbers.map { all[$0] }
    }

    /// Takes the next evidence.
    ///
    /// - Returns: The findings of this lane, for ``Diagnosis/join(_:)``.
    public mutating func observe(_ batch: [Evidence]) -> [Found] {
        var found: [Found] = []
        for evidence in batch {
            advance(to: evidence.at, &found)
            session.take(evidence)
            for index in checks.indices {
                checks[index].observe(evidence, session, &report)
                gather(index, &found)
            }
            moment += 1
        }
        return found
    }

    private mutating func advance(to instant: Instant, _ found: inout [Found]) {
        if instant > now {
            now = instant
            for index in checks.indices {
                checks[index].advance(to: instant, session, &report)
                gather(index, &found)
            }
        }
        moment += 1
    }

    /// Ends the session; see ``Diagnosis/finish(at:isRunning:)``.
    ///
    /// - Returns: The findings of this lane, for ``Diagnosis/join(_:)``.
    public mutating func finish(at instant: Instant, isRunning: Bool) -> [Found] {
        var found: [Found] = []
        advance(to: instant, &found)
        for index in checks.indices {
            checks[index].finish(at: now, isRunning: isRunning, session, &report)
            gather(index, &found)
            guard !isRunning else { continue }
            for finding in checks[index].undecided(at: now, session) {
                found.append(
                    Found(
                        moment: moment, check: numbers[index], finding: finding,
                        endedAt: now))
            }
        }
        moment += 1
        return found
    }

    private mutating func gather(_ index: Int, _ found: inout [Found]) {
        guard report.hasGathered else { return }
        for finding in report.takeGathered().map(session.withCauses) {
            found.append(Found(moment: moment, check: numbers[index], finding: finding))
        }
    }
}

extension Diagnosis {
    /// Takes the findings of each lane in the same evidence; in place of ``observe(_:)``.
    public mutating func join(_ lanes: [[DiagnosisLane.Found]]) {
        let found = lanes.joined().sorted { ($0.moment, $0.check) < ($1.moment, $1.check) }
        for each in found where each.endedAt == nil { add(each.finding) }
        leaveUndecided(
            found.compactMap { each in
                each.endedAt.map { undecided(each.finding, endedAt: $0) }
            })
    }
}
