/// Numbers from 0 in the order in which they were put in, each at most once.
///
/// A list with links by index: everything takes the same short time, however long it is.
struct RecencyList: Sendable {
    private struct Link {
        /// The neighbours; both -1 where the number is not in the list.
        var previous: Int32 = -1
        var following: Int32 = -1
    }

    // The first link is the head of the ring; that of a number is at the place after it.
    private var links = [Link(previous: 0, following: 0)]
    private(set) var count = 0

    /// The number that was put in first.
    var first: Int? { count > 0 ? Int(links[0].following) - 1 : nil }

    func contains(_ number: Int) -> Bool {
        number + 1 < links.count && links[number + 1].previous >= 0
    }

    /// Puts the number after all others, wherever it is.
    mutating func append(_ number: Int) {
        let place = number + 1
        guard Int(links[0].previous) != place else { return }
        remove(number)
        while links.count <= place { links.append(Link()) }
        let last = links[0].previous
        links[place] = Link(previous: last, following: 0)
        links[Int(last)].following = Int32(place)
        links[0].previous = Int32(place)
        count += 1
    }

    /// Removes the number, if it is there.
    mutating func remove(_ number: Int) {
        guard contains(number) else { return }
        let link = links[number + 1]
        links[Int(link.previous)].following = link.following
        links[Int(link.following)].previous = link.previous
        links[number + 1] = Link()
        count -= 1
    }
}
