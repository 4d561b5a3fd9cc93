extension CommCareServer {
    /// A project space.
    struct Domain: Sendable {
        /// The cases, closed ones too, by identifier.
        private(set) var cases: [String: StoredCase] = [:]
        /// About how many bytes the cases take.
        private var weight = 0
        /// How many forms were stored.
        private(set) var count = 0
        /// What was stored under an instanceID, as a hash, and the number of the form.
        private(set) var forms: [String: (hash: Int, number: Int)] = [:]
        /// Restore identifiers given out: the user, and the last form that was in it.
        private(set) var restores: [String: (user: String, form: Int)] = [:]
        /// Restore identifiers in the order in which they were given out.
        private var restoreOrder: [String] = []
        /// How often a restore has been asked for that is not there yet, by who asks for what.
        private var polls: [String: Int] = [:]

        /// Stores a form and the cases it changed.
        ///
        /// - Returns: False where there is no room; then nothing is stored.
        mutating func store(_ changed: [String: StoredCase], form id: String, hash: Int) -> Bool {
            let more = changed.reduce(0) { sum, change in
                sum + change.value.weight - (cases[change.key]?.weight ?? 0)
            }
            guard weight + more <= Limit.cases else { return false }
            weight += more
            count += 1
            if forms.count >= Limit.forms {
                // The older half goes: one of its forms sent again would be stored again.
                let kept = count - Limit.forms / 2
                forms = forms.filter { $0.value.number > kept }
            }
            forms[id] = (hash, count)
            cases.merge(changed) { _, new in new }
            return true
        }

        /// Counts one more request for a restore that is not there yet.
        ///
        /// - Returns: How many there were before; nil once there were `limit`.
        mutating func poll(_ key: String, of limit: Int) -> Int? {
            let done = polls[key] ?? 0
            guard done < limit else {
                polls[key] = nil
                return nil
            }
            if polls.count >= Limit.restores { polls = [:] }
            polls[key] = done + 1
            return done
        }

        /// Remembers a restore that is given out now.
        mutating func giveOut(_ id: String, to user: String) {
            if restoreOrder.count >= Limit.restores {
                for old in restoreOrder.prefix(Limit.restores / 2) { restores[old] = nil }
                restoreOrder.removeFirst(Limit.restores / 2)
            }
            restores[id] = (user, count)
            restoreOrder.append(id)
        }
    }
}
