/// Sorts a few elements at a time, so that others get their turn in between; stable.
struct SlicedSort<Element: Sendable>: Sendable {
    /// The elements; in order once ``isDone``.
    private(set) var elements: [Element]
    /// Whether they are in order.
    private(set) var isDone: Bool
    private let isBefore: @Sendable (Element, Element) -> Bool
    /// Elements that are sorted at once, to be merged afterwards.
    private static var run: Int { 32 }

    /// Length of the runs that are merged; 0 as long as they are being made.
    private var width = 0
    private var merged: [Element] = []
    /// Where the next run begins, or the next pair of them.
    private var start = 0
    /// Places in both runs of the pair.
    private var left = 0
    private var right = 0

    /// A sort that has not begun.
    init(_ elements: [Element], by isBefore: @escaping @Sendable (Element, Element) -> Bool) {
        self.elements = elements
        self.isBefore = isBefore
        isDone = elements.count < 2
    }

    /// Continues; `budget` goes down by one for each element that is put somewhere.
    mutating func advance(_ budget: inout Int) {
        while budget > 0, !isDone {
            if width == 0 { makeRun(&budget) } else { merge(&budget) }
        }
    }

    private mutating func makeRun(_ budget: inout Int) {
        let end = min(start + Self.run, elements.count)
        elements[start..<end].sort(by: isBefore)
        budget -= end - start
        start = end
        if start == elements.count { widen(to: Self.run) }
    }

    private mutating func merge(_ budget: inout Int) {
        let middle = min(start + width, elements.count)
        let end = min(start + 2 * width, elements.count)
        while budget > 0, merged.count < end {
            let takesRight =
                right < end && (left >= middle || isBefore(elements[right], elements[left]))
            merged.append(elements[takesRight ? right : left])
            if takesRight { right += 1 } else { left += 1 }
            budget -= 1
        }
        guard merged.count == end else { return }
        start = end
        if end == elements.count {
            swap(&elements, &merged)
            widen(to: 2 * width)
        } else {
            (left, right) = (start, min(start + width, elements.count))
        }
    }

    private mutating func widen(to width: Int) {
        self.width = width
        isDone = width >= elements.count
        merged.removeAll(keepingCapacity: !isDone)
        if !isDone { merged.reserveCapacity(elements.count) }
        (start, left, right) = (0, 0, min(width, elements.count))
    }
}
