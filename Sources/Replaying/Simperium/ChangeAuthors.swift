/// The recorded client commands that first have a change, by its `ccid`.
struct ChangeAuthors: Sendable {
    private let commands: RecordedCommands
    /// Places of commands by the number of the `ccid`; -1 for none.
    private var places: [Int32]
    /// Whether several commands have the same change.
    private(set) var hasRepeated = false

    /// None yet, for the changes of these commands.
    init(_ commands: RecordedCommands) {
        self.commands = commands
        places = Array(repeating: -1, count: commands.ccidCount)
    }

    /// Notes that the command at `place` has the `ccid` with this number, unless another had it first.
    mutating func insert(_ ccid: UInt32, _ place: Int32) {
        if places[Int(ccid)] < 0 {
            places[Int(ccid)] = place
        } else {
            hasRepeated = true
        }
    }

    /// The place of the command; nil where no client sent it.
    subscript(_ ccid: String) -> Int32? {
        guard let number = commands.number(ofCCID: ccid), places[Int(number)] >= 0 else {
            return nil
        }
        return places[Int(number)]
    }
}
