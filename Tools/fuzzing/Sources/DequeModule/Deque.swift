/// Stands in for the queue of swift-collections, which is not fuzzed.
public struct Deque<Element> {
    private var elements: [Element] = []
    /// What was taken from the front and is not let go yet.
    private var taken = 0

    /// An empty queue.
    public init() {}
}

extension Deque: RandomAccessCollection, MutableCollection, RangeReplaceableCollection {
    /// The place of the first element.
    public var startIndex: Int { 0 }
    /// The place behind the last element.
    public var endIndex: Int { elements.count - taken }

    /// The element at a place.
    public subscript(index: Int) -> Element {
        get { elements[taken + index] }
        _modify { yield &elements[taken + index] }
    }

    /// Puts others in the place of some.
    public mutating func replaceSubrange(
        _ range: Range<Int>, with others: some Collection<Element>
    ) {
        elements.replaceSubrange(
            taken + range.lowerBound..<taken + range.upperBound, with: others)
    }

    /// Adds one at the end.
    public mutating func append(_ element: Element) { elements.append(element) }

    /// Adds one at the front.
    public mutating func prepend(_ element: Element) { elements.insert(element, at: taken) }

    /// Takes the first.
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

    /// Takes the first; nil where there is none.
    public mutating func popFirst() -> Element? { isEmpty ? nil : removeFirst() }
}

extension Deque: ExpressibleByArrayLiteral {
    /// A queue of these.
    public init(arrayLiteral elements: Element...) { self.elements = elements }
}

extension Deque: Sendable where Element: Sendable {}
