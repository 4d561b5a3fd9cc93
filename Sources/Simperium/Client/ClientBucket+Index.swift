import Notation
import Wire

extension ClientBucket {
    /// The index as it is being read.
    struct IndexRun {
        /// `current` of the first page: what happened after it was sent came or comes as changes.
        var current: String?
        var hasFirstPage = false
        /// Whether the last page has come.
        var isComplete = false
        /// Keys that the index or a change has named.
        var seen: Set<ExactText> = []
        /// Keys that a change has named; the change is newer than a page.
        var changed: Set<ExactText> = []
        /// Marks that were used, so that a server cannot send pages for ever.
        var marks: Set<String> = []
    }

    func indexRequest(mark: String?) -> IndexRequest {
        IndexRequest(
            wantsData: settings.pagesHoldData, second: mark ?? "", limit: settings.pageSize)
    }

    /// Reads the index from its first page.
    ///
    /// - Parameter isAsked: Whether the first page was requested already.
    mutating func beginIndex(isAsked: Bool) {
        index = IndexRun()
        requests.removeAll()
        enter(.indexing)
        stalePages = awaitedPages
        if isAsked { awaitedPages += 1 } else { askForPage(mark: nil) }
    }

    private mutating func askForPage(mark: String?) {
        awaitedPages += 1
        send(.indexRequest(indexRequest(mark: mark)))
    }

    /// Counts a page, or the refusal of one.
    ///
    /// Taken for one of the run that has begun since, the last page of the old run would end it
    /// with objects missing.
    ///
    /// - Returns: Whether it answers an earlier run of the index.
    mutating func isStalePage() -> Bool {
        awaitedPages = max(0, awaitedPages - 1)
        guard stalePages > 0 else { return false }
        stalePages -= 1
        log("a page of an earlier run of the index")
        return true
    }

    /// Reads the index once more, unless that has come to nothing too often.
    mutating func restartIndex(reason: String) {
        guard phase == .indexing else { return }
        fruitlessRuns += 1
        log(reason)
        guard fruitlessRuns < 3 else {
            commands.append(.reconnect(reason: "the index cannot be read"))
            return
        }
        beginIndex(isAsked: false)
    }

    /// Requests another socket, since it is unknown which page answers which request.
    ///
    /// Pages that still arrive belong to no run: the last page of one run, taken for the only one
    /// of another, would remove all objects of the others.
    private mutating func leaveIndex(reason: String) {
        log(reason)
        stalePages = .max
        commands.append(.reconnect(reason: reason))
    }

    mutating func receive(_ page: IndexPage<JSONValue>) {
        guard phase == .indexing, var run = index, !run.isComplete else {
            return log("an unexpected page of the index")
        }
        if !run.hasFirstPage {
            run.hasFirstPage = true
            run.current = page.current.flatMap { $0.isEmpty ? nil : $0 }
        }
        index = run
        detail(
            "a page of the index with \(page.entries.count) objects at "
                + (page.current ?? "no change version"))
        for entry in page.entries { take(entry) }
        if let mark = page.mark, !mark.isEmpty {
            guard index?.marks.insert(mark).inserted == true else {
                return leaveIndex(reason: "the index repeats the mark \(Excerpt.quote(mark))")
            }
            askForPage(mark: mark)
        } else {
            index?.isComplete = true
        }
        askForEntities()
        endIndexIfComplete()
    }

    private mutating func take(_ page: IndexPage<JSONValue>.Entry) {
        guard let name = page.key, !name.isEmpty, let version = page.version else {
            return log("an entry of the index without key or version")
        }
        let key = ExactText(name)
        index?.seen.insert(key)
        let known = entries[key]?.stored.ghost
        if index?.changed.contains(key) == true,
            version <= max(known?.version ?? 0, tombstones[key] ?? 0)
        {
            return
        }
        // What was requested before is not newer than the index.
        if entries[key]?.stored.wanted != nil { stopWanting(key) }
        if known?.version == version { return }
        guard known != nil || entries.count < settings.maxObjects else { return }
        guard let data = page.data, case .object = data else {
            return want(key, version: version)
        }
        learn(key, Ghost(version: version, data: data), because: .index)
    }

    /// The index is read when nothing of it is missing.
    mutating func endIndexIfComplete() {
        guard phase == .indexing, let run = index, run.isComplete, requests.isEmpty else { return }
        index = nil
        fruitlessRuns = 0
        // What an earlier connection requested and the index does not contain is deleted, too.
        for key in keys(where: { $0.ghost != nil || $0.wanted != nil })
        where !run.seen.contains(key) {
            lose(key, at: nil, because: .index)
        }
        for key in tombstones.removeAll() { unsaved.insert(key) }
        cv = run.current
        isHeadUnsaved = true
        // The index has the server's state, so that what the server sent before is settled by it.
        for key in keys(where: { $0.sent?.answer != nil }) {
            settle(key, because: .index)
        }
        if emptyingState.isKnown { emptying = nil }
        beginSending()
    }

    /// Sends changes, those that were sent before first.
    mutating func beginSending() {
        enter(.synced)
        log("in sync at \(cv ?? "no change version")", isVerbose: true)
        let again = inOrder(unanswered)
        for key in again where phase == .synced && entry(key).stored.sent?.answer != nil {
            reload(key)
        }
        guard phase == .synced else { return }
        for key in keys(where: { $0.wanted != nil }) {
            want(key, version: entry(key).stored.wanted ?? 0)
        }
        for key in again where entry(key).stored.sent?.answer == nil { sendAgain(key) }
        askForEntities()
    }
}
