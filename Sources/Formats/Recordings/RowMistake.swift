internal import Trace

/// An error in a JSON text of a recording, with its place.
struct RowMistake: ContentMistake, Hashable {
    /// Bytes from the start of the text.
    var offset: Int
    /// The error, as text.
    var message: String

    init(_ offset: Int, _ message: String) {
        self.offset = offset
        self.message = message
    }
}
