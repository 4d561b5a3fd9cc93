/// Stands in for the queue of swift-collections, which is not fuzzed.
public struct Deque<Element> {
    private var elements: [Element] = []
    /// What was taken from the front and is not let go yet.
    private var taken = 0

    public init() {}
}

extension Deque: RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
    public var startIndex: Int { 0 }
    public var endIndex: Int { elements.count - taken }

    public subscript(index: Int) -> Element {
        get { elements[taken + index] }
        _modify { yield &elements[taken + index] }
    }

    public mutating func replaceSubrange(
        _ range: Range<Int>, with others: some Collection<Element>
    ) {
        elements.replaceSubrange(
            taken + range.lowerBound..<taken + range.upperBound, with: others)
    }

    public mutating func append(_ element: Element) { elements.append(element) }

    @discardableResult
    public mutating func removeFirst() -> Element {
        let first = elements[taken]
        taken += 1
        // Moving the rest only when half is used up keeps this linear.
        if taken * 2 >= elements.count {
            elements.removeFirst(taken)
            taken = 0
        }
        return first
    }

    public mutating func popFirst() -> Element? { isEmpty ? nil : removeFirst() }
}

extension Deque: ExpressibleByArrayLiteral {
    public init(arrayLiteral elements: Element...) { self.elements = elements }
}

extension Deque: Sendable where Element: Sendable {}
