internal import Notation
internal import Wire

extension SyncLog {
    /// What a form does to one case.
    struct Update {
        /// Whether the case was a primary one before the form.
        var wasLive: Bool
        var isClosed = false
        var ownerID: ExactText?
        /// Indices in order; nil where one is removed.
        var indices: [(name: ExactText, index: CaseState.Index?)] = []

        init(wasLive: Bool) { self.wasLive = wasLive }

        mutating func add(_ block: CaseBlock) {
            if let create = block.create, let owner = create.ownerID ?? block.userID {
                ownerID = ExactText(owner)
            }
            if let owner = block.update?.last(where: { $0.name == "owner_id" }) {
                ownerID = ExactText(owner.value)
            }
            isClosed = isClosed || block.isClosed
            for index in block.indices {
                let value =
                    index.target.isEmpty
                    ? nil
                    : CaseState.Index(
                        target: index.target,
                        relationship: index.relationship ?? CaseState.Index.child)
                indices.append((ExactText(index.name), value))
            }
        }

        func isLive(_ owners: Set<ExactText>) -> Bool {
            guard !isClosed else { return false }
            guard let ownerID else { return wasLive }
            return owners.contains(ownerID)
        }
    }

    /// Makes a case dependent and removes it, and what only it kept, where nothing keeps it.
    ///
    /// - Parameters:
    ///   - id: The case.
    ///   - purged: What the same form has removed already.
    mutating func purge(_ id: ExactText, _ purged: inout Set<ExactText>) {
        var waiting = [id]
        while let id = waiting.popLast() {
            guard caseIDs.contains(id) else { continue }
            dependentIDs.insert(id)
            let relevant = relevantCases(to: id).subtracting(purged)
            let removed = relevant.subtracting(liveCases(in: relevant, purged))
            var targets: Set<ExactText> = []
            for removal in removed {
                targets.formUnion(children.targets(of: removal))
                children.removeAll(of: removal)
                extensions.removeAll(of: removal)
                if release(removal) { purged.insert(removal) }
                dependentIDs.remove(removal)
            }
            waiting.append(
                contentsOf: targets.filter {
                    dependentIDs.contains($0) && !removed.contains($0) && $0 != id
                })
        }
    }

    /// The case, what refers to it in any way, and what those extend.
    private func relevantCases(to id: ExactText) -> Set<ExactText> {
        reach(from: [id]) { next in
            children.sources(of: next).union(extensions.sources(of: next))
                .union(extensions.targets(of: next))
        }
    }

    /// Those that are available and, or kept by, primary cases.
    private func liveCases(
        in relevant: Set<ExactText>, _ purged: Set<ExactText>
    ) -> Set<ExactText> {
        let open = relevant.filter {
            !closedIDs.contains($0)
                && (!extensions.hasTargets(of: $0) || children.hasTargets(of: $0))
        }
        let available = reach(from: open) { next in
            extensions.sources(of: next).subtracting(closedIDs).subtracting(purged)
        }
        let primary = available.intersection(caseIDs).subtracting(dependentIDs)
        return reach(from: primary) { next in
            children.targets(of: next).union(extensions.targets(of: next))
                .union(extensions.sources(of: next).subtracting(closedIDs)).subtracting(purged)
        }
    }

    private func reach(
        from start: Set<ExactText>, _ next: (ExactText) -> Set<ExactText>
    ) -> Set<ExactText> {
        var reached = start
        var waiting = Array(start)
        while let id = waiting.popLast() {
            for other in next(id) where reached.insert(other).inserted { waiting.append(other) }
        }
        return reached
    }
}
