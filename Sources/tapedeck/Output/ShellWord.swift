/// Words as a POSIX shell takes them.
enum ShellWord {
    /// `text` as one word, in single quotes.
    static func quoted(_ text: String) -> String {
        "'" + text.replacing("'", with: "'\\''") + "'"
    }
}
