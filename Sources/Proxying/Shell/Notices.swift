import Synchronization

/// What was said to the user, so that each thing is said once and not for every connection.
final class Notices: Sendable {
    private let said = Mutex<Set<String>>([])

    /// How many different things are said: hostile peers could make up more.
    private static let most = 1_000

    /// Says something unless that was said before.
    func say(_ text: String, _ notice: (String) -> Void) {
        let isNew = said.withLock { said in
            said.count < Self.most && said.insert(text).inserted
        }
        if isNew { notice("tapedeck: \(text)") }
    }
}
