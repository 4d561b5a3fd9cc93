/// What is wrong with a JSON text of a recording, and where in it.
struct RowMistake: Error, Hashable {
    /// Bytes from the start of the text.
    var offset: Int
    /// What is wrong, in words.
    var says: String

    init(_ offset: Int, _ says: String) {
        self.offset = offset
        self.says = says
    }
}
