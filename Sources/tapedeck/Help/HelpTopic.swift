import Filters

/// A text of `tapedeck help TOPIC`.
struct HelpTopic: Sendable {
    /// Its name.
    let name: String
    /// What it is about, in a few words.
    let about: String
    /// The text: a document, or parts of one, in Markdown.
    let text: String

    /// The list of topics, for the help of the program.
    static var list: String {
        let width = all.map(\.name.count).max() ?? 0
        return all.map { "  \(ListLine.pad($0.name, width))  \($0.about)" }
            .joined(separator: "\n")
    }

    /// The text for `tapedeck help WORD`; nil where that is no topic and the parser has to answer.
    ///
    /// - Throws: ``Failure`` where there is neither a topic nor a command of that name.
    static func text(_ arguments: [String], commands: [String]) throws(Failure) -> String? {
        guard arguments.first == "help", arguments.count == 2, let word = arguments.last,
            !word.hasPrefix("-")
        else { return nil }
        if let topic = all.first(where: { $0.name == word }) {
            return topic.text
                + (commands.contains(word) ? "\nCommands: tapedeck \(word) --help\n" : "\n")
        }
        guard !commands.contains(word) else { return nil }
        let nearest = NearestNames.of(word, among: all.map(\.name) + commands)
        throw Failure(
            .usage,
            "there is no command and no topic \(ListLine.clean(word))"
                + (nearest.isEmpty
                    ? "; topics are \(all.map(\.name).joined(separator: ", "))"
                    : NearestNames.question(nearest)))
    }
}
