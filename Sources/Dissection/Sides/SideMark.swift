import Wire

/// Whose a row is, and what became of it.
struct SideMark<Kind>: Hashable {
    var side = Side.both
    var fate = Fate.same
    var counterpart: Identifier<Kind>?
}
