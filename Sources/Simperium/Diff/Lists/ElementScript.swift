import Notation
import Wire

/// A change of an array, element by element.
struct ElementScript {
    /// What is done; the `id` of an insertion is the place in ``inserted`` where it begins.
    private var moves: [Move] = []
    /// All that is inserted, in order.
    private var inserted: [JSONValue] = []

    /// The change from one array to another.
    init(from old: [JSONValue], to new: [JSONValue]) {
        var place = 0
        for hunk in ListDiff.hunks(old, new) {
            add(.keep(hunk.old.lowerBound - place))
            add(.drop(hunk.old.count))
            insert(new[hunk.new])
            place = hunk.old.upperBound
        }
        add(.keep(old.count - place))
    }

    /// The change that a delta of an array's text makes; nil where that is not one of whole lines.
    init?(_ delta: StringDelta, over list: [JSONValue]) {
        let lengths = list.map { ListDelta.line(of: $0).utf16.count }
        guard lengths.reduce(0, +) == delta.length else { return nil }
        var place = 0
        for step in delta.steps {
            switch step {
            case .keep(let count), .drop(let count):
                var rest = count
                let start = place
                while rest > 0, place < lengths.count {
                    rest -= lengths[place]
                    place += 1
                }
                guard rest == 0 else { return nil }
                if case .keep = step {
                    add(.keep(place - start))
                } else {
                    add(.drop(place - start))
                }
            case .insert(let text):
                guard text.utf8.last == 0x0A, let elements = try? ListDelta.elements(of: text)
                else { return nil }
                insert(elements[...])
            }
        }
    }

    private init(moves: [Move], inserted: [JSONValue]) {
        self.moves = moves
        self.inserted = inserted
    }

    private mutating func add(_ move: Move) { moves.append(move) }

    private mutating func insert(_ elements: ArraySlice<JSONValue>) {
        moves.append(.insert(id: inserted.count, length: elements.count))
        inserted.append(contentsOf: elements)
    }

    /// What is left to be done once `remote` has been.
    func rebased(over remote: ElementScript) -> ElementScript {
        ElementScript(moves: Move.rebase(moves, over: remote.moves), inserted: inserted)
    }

    /// The delta of the text of `list`, the array that this is for.
    func delta(over list: [JSONValue]) -> StringDelta {
        var place = 0
        func units(_ count: Int) -> Int {
            let lines = list[place..<min(place + count, list.count)]
            place += lines.count
            return lines.reduce(0) { $0 + ListDelta.line(of: $1).utf16.count }
        }
        return StringDelta(
            steps: moves.map { move in
                switch move {
                case .keep(let count): .keep(units(count))
                case .drop(let count): .drop(units(count))
                case .insert(let id, let length):
                    .insert(inserted[id..<id + length].map { ListDelta.line(of: $0) }.joined())
                }
            })
    }
}
