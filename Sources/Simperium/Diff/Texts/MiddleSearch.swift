/// Finds a place in the middle of a shortest way from one sequence to the other.
///
/// Two searches, one from each end, go as far as they can with one difference, with two, and so on
/// until they meet.
struct MiddleSearch {
    enum Outcome {
        /// A shortest way passes here.
        case found(old: Int, new: Int)
        /// The parts have no element in common.
        case nothingInCommon
        /// It took more steps than allowed.
        case tooExpensive
    }

    private let old: [UInt32]
    private let new: [UInt32]
    private let part: Hunk
    private let allowed: Int
    /// Steps that were taken.
    private(set) var steps = 0

    /// - Precondition: Both parts of `part` have elements, and begin and end with different ones.
    init(_ old: [UInt32], _ new: [UInt32], _ part: Hunk, allowed: Int) {
        self.old = old
        self.new = new
        self.part = part
        self.allowed = allowed
    }

    mutating func run() -> Outcome {
        let oldStart = part.old.lowerBound, newStart = part.new.lowerBound
        let oldEnd = part.old.upperBound, newEnd = part.new.upperBound
        let oldCount = part.old.count, newCount = part.new.count
        let difference = oldCount - newCount
        let most = (oldCount + newCount + 1) / 2
        // As many rounds take at least as many steps as are allowed.
        var rounds = 1
        while rounds < most, rounds * rounds < allowed { rounds += 1 }
        guard abs(difference) <= 2 * rounds else { return .tooExpensive }
        let isOdd = difference % 2 != 0
        let center = rounds
        // How far each diagonal is reached, from the start and from the end; -1 where not yet.
        var ahead = [Int](repeating: -1, count: 2 * rounds + 2)
        var back = ahead
        ahead[center + 1] = 0
        back[center + 1] = 0
        var aheadFrom = 0, aheadTo = 0, backFrom = 0, backTo = 0
        for round in 0..<rounds {
            var diagonal = -round + aheadFrom
            while diagonal <= round - aheadTo {
                let place = center + diagonal
                let down =
                    diagonal == -round || (diagonal != round && ahead[place - 1] < ahead[place + 1])
                var x = down ? ahead[place + 1] : ahead[place - 1] + 1
                var y = x - diagonal
                let began = x
                while x < oldCount, y < newCount, old[oldStart + x] == new[newStart + y] {
                    x += 1
                    y += 1
                }
                steps += 1 + x - began
                ahead[place] = x
                if x > oldCount {
                    aheadTo += 2
                } else if y > newCount {
                    aheadFrom += 2
                } else if isOdd {
                    let other = center + difference - diagonal
                    if back.indices.contains(other), back[other] != -1, x >= oldCount - back[other]
                    {
                        return .found(old: oldStart + x, new: newStart + y)
                    }
                }
                diagonal += 2
            }
            diagonal = -round + backFrom
            while diagonal <= round - backTo {
                let place = center + diagonal
                let down =
                    diagonal == -round || (diagonal != round && back[place - 1] < back[place + 1])
                var x = down ? back[place + 1] : back[place - 1] + 1
                var y = x - diagonal
                let began = x
                while x < oldCount, y < newCount, old[oldEnd - 1 - x] == new[newEnd - 1 - y] {
                    x += 1
                    y += 1
                }
                steps += 1 + x - began
                back[place] = x
                if x > oldCount {
                    backTo += 2
                } else if y > newCount {
                    backFrom += 2
                } else if !isOdd {
                    let other = center + difference - diagonal
                    if ahead.indices.contains(other), ahead[other] != -1,
                        ahead[other] >= oldCount - x
                    {
                        let x = ahead[other]
                        return .found(old: oldStart + x, new: newStart + x - (other - center))
                    }
                }
                diagonal += 2
            }
            guard steps <= allowed else { return .tooExpensive }
        }
        return rounds == most ? .nothingInCommon : .tooExpensive
    }
}
