/// Stands in for the queue of swift-collections, which is not fuzzed.
public typealias Deque<Element> = Array<Element>
