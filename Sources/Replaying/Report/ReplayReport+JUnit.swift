internal import Reports

extension ReplayReport {
    /// The report as JUnit's XML: a suite for each section, a failure for each thing missed or left
    /// over, and one test for all that matched.
    ///
    /// Names of cases have no numbers, times or identifiers, so that the next run has the same ones;
    /// what they replace is the property `item`.
    ///
    /// - Parameters:
    ///   - allowsUnused: Whether something may be left over; it is skipped then.
    ///   - allowsBridged: Whether the client may have bridged differences; they are skipped then.
    ///   - properties: Facts about the run, by name, such as its seed.
    /// - Returns: A document.
    public func junit(
        allowsUnused: Bool = false, allowsBridged: Bool = false,
        properties: [(name: String, value: String)] = []
    ) -> String {
        var suites = sections.map { section in
            var names = JUnitNames()
            var cases = [
                JUnitReport.Case(
                    group: section.name, name: words.matched,
                    section.matched > 0
                        ? .passed() : .skipped(message: "nothing was \(words.matched)"),
                    properties: [
                        ("recorded", "\(section.recorded)"), ("matched", "\(section.matched)"),
                    ])
            ]
            for miss in section.misses {
                cases.append(
                    names.case(
                        section.name, miss, .failed(message: words.missed, detail: miss.detail)))
            }
            let left = section.unusedItems
            for item in left {
                cases.append(
                    names.case(
                        section.name, item,
                        allowsUnused
                            ? .skipped(message: words.unused, detail: item.detail)
                            : .failed(message: words.unused, detail: item.detail)))
            }
            for item in section.bridgedItems {
                cases.append(
                    names.case(
                        section.name, item,
                        allowsBridged
                            ? .skipped(message: "bridged", detail: item.detail)
                            : .failed(message: "bridged", detail: item.detail)))
            }
            let isCut = section.misses.count < section.missed || left.count < section.unused
            return JUnitReport.Suite(
                name: section.name, cases: cases,
                output: isCut
                    ? "\(section.missed) \(words.missed), \(section.unused) \(words.unused)"
                        + "; not all are listed" : "",
                properties: properties)
        }
        if let nothing {
            let one = JUnitReport.Case(
                group: "replay", name: "compared", .failed(message: nothing))
            suites.append(JUnitReport.Suite(name: "replay", cases: [one], properties: properties))
        }
        return JUnitReport(suites: suites).text
    }
}

/// Names of test cases that are the same in each run.
struct JUnitNames {
    private var counts: [String: Int] = [:]

    /// A case that is named by what an item is, and by its number among those of the same name.
    fileprivate mutating func `case`(
        _ group: String, _ item: ReplayReport.Item, _ outcome: JUnitReport.Outcome
    ) -> JUnitReport.Case {
        JUnitReport.Case(
            group: group, name: unique(Self.stable(item.line)), outcome,
            properties: [("item", item.line)])
    }

    /// `name`, from its second time on with its number: `name #2`.
    mutating func unique(_ name: String) -> String {
        counts[name, default: 0] += 1
        guard let count = counts[name], count > 1 else { return name }
        return "\(name) #\(count)"
    }

    /// A line in which `*` stands for each number, time and identifier.
    ///
    /// These are words of ASCII letters, digits, `-` and `_` that have a digit; the version of an
    /// interface, such as `v2`, is none of them.
    static func stable(_ line: String) -> String {
        var text = ""
        var word = ""
        func end() {
            let isVersion =
                word.first == "v" && word.count < 4 && word.dropFirst().allSatisfy(\.isNumber)
            let isNew = word.contains { $0.isNumber } && !isVersion
            text += !isNew ? word : text.hasSuffix("*.") ? "" : "*"
            if isNew, text.hasSuffix("*.") { text.removeLast() }
            word = ""
        }
        for character in line {
            if character.isASCII,
                character.isLetter || character.isNumber || "-_".contains(character)
            {
                word.append(character)
            } else {
                end()
                text.append(character)
            }
        }
        end()
        return text
    }
}
