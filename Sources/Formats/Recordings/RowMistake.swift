internal import Trace

/// What is wrong with a JSON text of a recording, and where in it.
struct RowMistake: ContentMistake, Hashable {
    /// Bytes from the start of the text.
    var offset: Int
    /// What is wrong, in words.
    var message: String

    init(_ offset: Int, _ message: String) {
        self.offset = offset
        self.message = message
    }
}
