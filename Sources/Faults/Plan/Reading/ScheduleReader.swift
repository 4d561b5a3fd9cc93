import Filters

/// Makes schedules of words.
struct ScheduleReader {
    /// The keys, in the order in which they are written.
    static let keys = [
        "first", "every", "nth", "probability", "from", "to", "after-mark", "before-mark", "until",
        "until-waited", "per", "after",
    ]

    private var schedule = FaultSchedule()
    private var places: [String: PlanPlace] = [:]

    /// Reads a schedule.
    ///
    /// - Throws: ``FaultPlanError`` at the invalid word.
    static func read(_ words: [PlanWord]) throws(FaultPlanError) -> FaultSchedule {
        var reader = ScheduleReader()
        var always: PlanPlace?
        for word in words {
            if word.key == nil, word.value.text == "always" {
                always = word.value.place
            } else {
                try reader.take(word)
            }
        }
        if let always, !reader.places.isEmpty, reader.schedule.hasLimits {
            throw FaultPlanError(
                .contradiction("always excludes all other conditions"), always)
        }
        try reader.check()
        return reader.schedule
    }

    private mutating func take(_ word: PlanWord) throws(FaultPlanError) {
        guard let key = word.key else {
            throw FaultPlanError(
                .expected("always, or a key with a value such as first=3"), word.value.place)
        }
        let name = key.text
        guard Self.keys.contains(name) else {
            throw FaultPlanError(
                .unknownKey(
                    name, of: "a schedule", nearest: NearestNames.of(name, among: Self.keys)),
                key.place)
        }
        guard name == "nth" || places[name] == nil else {
            throw FaultPlanError(.repeatedKey(name), key.place)
        }
        places[name] = word.value.text.isEmpty ? key.place : word.value.place
        try set(name, word)
    }

    private mutating func set(_ name: String, _ word: PlanWord) throws(FaultPlanError) {
        switch name {
        case "first": schedule.first = try count(word)
        case "every": schedule.every = try count(word)
        case "nth": try addNumbers(word)
        case "probability":
            guard let value = PlanNumbers.probability(word.value.text), value > 0, value <= 1 else {
                throw wrong(word, "a number above 0 and at most 1, or a percentage")
            }
            schedule.probability = value
        case "from": schedule.from = try time(word)
        case "to": schedule.to = try time(word)
        case "after": schedule.after = try time(word)
        case "until-waited": schedule.untilWaited = try time(word, least: 1)
        case "after-mark": schedule.afterMark = try mark(word)
        case "before-mark": schedule.beforeMark = try mark(word)
        case "until": schedule.until = try ConditionReader.end(word.value)
        default:
            guard let extent = FaultSchedule.Extent(rawValue: word.value.text) else {
                throw wrong(word, "connection, client, key or overall")
            }
            schedule.per = extent
        }
    }

    private mutating func addNumbers(_ word: PlanWord) throws(FaultPlanError) {
        for part in word.value.text.split(separator: ",", omittingEmptySubsequences: false) {
            let text = part.filter { $0 != " " }
            guard let number = PlanNumbers.integer(String(text)), number >= 1 else {
                throw wrong(word, "a whole number of at least 1, or several: 1,4,7")
            }
            schedule.nth.append(number)
        }
        schedule.nth = Set(schedule.nth).sorted()
    }

    private func count(_ word: PlanWord) throws(FaultPlanError) -> Int64 {
        guard let number = PlanNumbers.integer(word.value.text), number >= 1 else {
            throw wrong(word, "a whole number of at least 1")
        }
        return number
    }

    private func time(_ word: PlanWord, least: Int64 = 0) throws(FaultPlanError) -> Int64 {
        guard let time = PlanNumbers.duration(word.value.text), time >= least else {
            throw wrong(word, "a time with its unit, such as 300ms or 1m30s")
        }
        return time
    }

    private func mark(_ word: PlanWord) throws(FaultPlanError) -> String {
        guard !word.value.text.isEmpty else { throw wrong(word, "the name of a mark") }
        return word.value.text
    }

    private func wrong(_ word: PlanWord, _ expected: String) -> FaultPlanError {
        FaultPlanError(
            .notAValue(of: word.key?.text ?? "", expected: expected),
            word.value.text.isEmpty ? word.key?.place ?? word.value.place : word.value.place)
    }

    /// Makes sure that some event can be hit.
    private func check() throws(FaultPlanError) {
        if let from = schedule.from, let to = schedule.to, from >= to {
            throw contradiction("to", "the schedule ends before it begins")
        }
        if schedule.to == 0 { throw contradiction("to", "the schedule ends when it begins") }
        if let mark = schedule.afterMark, mark == schedule.beforeMark {
            throw contradiction("before-mark", "the schedule ends with the mark it begins with")
        }
        if let first = schedule.first {
            if let every = schedule.every, every > first {
                throw contradiction(
                    "every", "every \(every)th never comes among the first \(first)")
            }
            if let least = schedule.nth.first, least > first {
                throw contradiction("nth", "number \(least) is not among the first \(first)")
            }
        }
        if let every = schedule.every, !schedule.nth.isEmpty,
            !schedule.nth.contains(where: { $0 % every == 0 })
        {
            throw contradiction("nth", "none of these is a multiple of \(every)")
        }
    }

    private func contradiction(_ key: String, _ words: String) -> FaultPlanError {
        FaultPlanError(
            .contradiction(words),
            places[key] ?? PlanPlace(line: 1, column: 1, text: "", range: 0..<0))
    }
}

extension FaultSchedule {
    /// Whether anything keeps an event from being hit.
    var hasLimits: Bool {
        var bare = self
        bare.per = nil
        bare.after = 0
        return bare != FaultSchedule()
    }
}
