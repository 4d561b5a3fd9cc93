internal import Notation
internal import Simperium
internal import Wire

extension SimperiumPlay {
    /// Members of changes and pages that the live server chooses.
    private static let volatile: Set<String> = ["cv", "ccid", "ccids", "clientid"]
    /// Members that others have a part in who change the same object.
    private static let shared: Set<String> = ["sv", "ev", "v", "d"]

    /// The differences of a live change from the recorded one.
    func differences(
        _ item: PlayedStream.Expected, _ live: JSONValue, _ number: Int, _ stream: Int
    ) -> Differences {
        var found = Differences()
        // Concurrent changes of others to an object are not a difference.
        let isShared =
            settings.isOneOfSeveral && !isOwn(item.key, streams[stream].bucket(at: item.place))
        let a = Self.masked(expected(item, stream), isShared: isShared)
        let b = Self.masked(live, isShared: isShared)
        if a.isSame(as: b) { return found }
        var path = [String(number)]
        guard let a = a.without(leftOut, &path), let b = b.without(leftOut, &path) else {
            return found
        }
        found.compare(a, b, at: "/\(number)", in: Difference.Scope())
        return found
    }

    /// A recorded change in terms of the live session.
    private func expected(_ item: PlayedStream.Expected, _ stream: Int) -> JSONValue {
        guard case .object(let object) = item.element,
            let bucket = streams[stream].bucket(at: item.place)
        else { return item.element }
        var output = JSONObject()
        output.members.reserveCapacity(object.members.count)
        for member in object.members {
            let name = member.key.string
            var value = member.value
            if name == "id", let key = value.string {
                value = .string(buckets[bucket].keys[key] ?? key)
            } else if name == "sv" || name == "ev", let key = item.key,
                case .number(let text) = value, let version = Int64(text)
            {
                value = .number(String(buckets[bucket].versions.live(key, version)))
            } else if name == "v" || name == "d" {
                value = value.mentioning(buckets[bucket].keys)
            }
            output.members.append(.init(name, value))
        }
        return .object(output)
    }

    private static func masked(_ change: JSONValue, isShared: Bool) -> JSONValue {
        guard case .object(var object) = change else { return change }
        for index in object.members.indices {
            let name = object.members[index].key.string
            guard volatile.contains(name) || isShared && shared.contains(name) else { continue }
            object.members[index].value = .string(LeftOut.mark)
        }
        return .object(object)
    }

    /// Whether an object was made by this client under its own key.
    private func isOwn(_ key: String?, _ bucket: Int?) -> Bool {
        guard let key, let bucket else { return false }
        return buckets[bucket].keys[key] != nil
    }

    /// Where a live command differs from a recorded one; what the live server issued is bound.
    mutating func compare(
        _ item: PlayedStream.Expected, _ live: SimperiumCommand, _ text: [UInt8], _ stream: Int
    ) -> Differences {
        let recordedText = self.text(item.place)
        let recorded = SimperiumCommand.parse(recordedText, from: .server)
        let bucket = streams[stream].bucket(at: item.place)
        switch (recorded.body, live.body) {
        case (.auth(.accepted(let user)), .auth(.accepted(let other))):
            if !settings.comparesUsers { names.bind(.user, user, other) }
            var found = Differences()
            let known = names.live(.user, user) ?? user
            if settings.comparesUsers, known != other {
                let (a, b) = OneLine.pair(known, other)
                found.add(Difference(.presence, "user", recorded: a.quoted, live: b.quoted))
            }
            return found
        case (.indexPage(let one), .indexPage(let other)):
            guard let bucket else { break }
            return compare(one, recordedText, other, text, item.place, stream, bucket)
        case (.entity(let one), .entity(let other)):
            guard let bucket else { break }
            let key = buckets[bucket].keys[one.key] ?? one.key
            let version = buckets[bucket].versions.live(one.key, one.version)
            var found = Differences()
            compare("key", key.quoted, other.key.quoted, into: &found)
            let isShared = settings.isOneOfSeveral && !isOwn(one.key, bucket)
            if !isShared {
                compare("version", String(version), String(other.version), into: &found)
                compareData(recordedText, text, buckets[bucket].keys, into: &found)
            }
            if key == other.key {
                buckets[bucket].versions.bind(
                    one.key, recorded: one.version, live: other.version)
                if settings.isOneOfSeveral { buckets[bucket].seen.insert(one.key) }
            }
            return found
        default: break
        }
        return SimperiumComparison.differences(
            recorded: recordedText, live: text, keys: [:], leftOut: volatileLeftOut)
    }

    private func compare(
        _ what: String, _ recorded: String, _ live: String, into found: inout Differences
    ) {
        guard recorded != live else { return }
        let (a, b) = OneLine.pair(recorded, live)
        found.add(Difference(.presence, what, recorded: a, live: b))
    }

    /// Compares what follows the line feed of an `e`.
    private func compareData(
        _ recorded: [UInt8], _ live: [UInt8], _ keys: [String: String],
        into found: inout Differences
    ) {
        func data(_ text: [UInt8]) -> [UInt8] {
            text.firstIndex(of: 0x0A).map { Array(text[($0 + 1)...]) } ?? []
        }
        var a = Meaning(data(recorded), without: leftOut)
        if case .json(let value) = a { a = .json(value.mentioning(keys)) }
        found.compare(a, Meaning(data(live), without: leftOut), in: Difference.Scope())
    }

    private mutating func compare(
        _ one: IndexPage<Range<Int>>, _ recordedText: [UInt8], _ other: IndexPage<Range<Int>>,
        _ text: [UInt8],
        _ place: Int32, _ stream: Int, _ bucket: Int
    ) -> Differences {
        var found = Differences()
        var a = expectedPage(recordedText, bucket)
        var b = Self.payload(text)
        let mark = b["mark"]?.string
        if settings.isOneOfSeveral {
            let known = Set(one.entries.compactMap(\.key))
            a = a.keeping(known, buckets[bucket])
            b = b.keeping(known, buckets[bucket])
        }
        var path: [String] = []
        if var a = a.without(leftOut, &path), var b = b.without(leftOut, &path) {
            for name in ["current", "mark"] {
                a = a.maskingMember(name, isDropped: settings.isOneOfSeveral)
                b = b.maskingMember(name, isDropped: settings.isOneOfSeveral)
            }
            found.compare(a, b, at: "", in: Difference.Scope())
        }
        var versions: [String: Int64] = [:]
        for entry in other.entries {
            if let key = entry.key, let version = entry.version { versions[key] = version }
        }
        for entry in one.entries {
            guard let key = entry.key, let recorded = entry.version else { continue }
            if settings.isOneOfSeveral { buckets[bucket].seen.insert(key) }
            if let live = versions[buckets[bucket].keys[key] ?? key] {
                buckets[bucket].versions.bind(key, recorded: recorded, live: live)
            }
        }
        if let recorded = one.current, let live = other.current, !recorded.isEmpty {
            buckets[bucket].changeVersions[recorded] = live
        }
        if let recorded = one.mark, !recorded.isEmpty {
            streams[stream].marks[recorded] = mark
            if mark == nil { streams[stream].endedMarks.insert(recorded) }
        } else if let mark, !mark.isEmpty, !settings.isVerbatim {
            // The live index has more; a client reads all of it.
            askForPage(mark, stream)
        }
        return found
    }

    private func expectedPage(_ text: [UInt8], _ bucket: Int) -> JSONValue {
        let value = Self.payload(text)
        guard case .object(var page) = value else { return value }
        for place in page.members.indices where page.members[place].key.string == "index" {
            guard case .array(let entries) = page.members[place].value else { continue }
            page.members[place].value = .array(
                entries.map { entry in
                    guard case .object(var object) = entry, let key = object["id"]?.string else {
                        return entry
                    }
                    for index in object.members.indices {
                        switch (object.members[index].key.string, object.members[index].value) {
                        case ("id", _):
                            object.members[index].value = .string(
                                buckets[bucket].keys[key] ?? key)
                        case ("v", .number(let text)):
                            guard let version = Int64(text) else { continue }
                            object.members[index].value = .number(
                                String(buckets[bucket].versions.live(key, version)))
                        case ("d", let data):
                            object.members[index].value = data.mentioning(buckets[bucket].keys)
                        default: break
                        }
                    }
                    return .object(object)
                })
        }
        return .object(page)
    }

    private static func payload(_ text: [UInt8]) -> JSONValue {
        let command = SimperiumCommand.parse(text, from: .server)
        guard
            let document = try? JSONDocument.scan(
                text, in: command.payload, limits: JSONLimits(depth: 256, values: 2_000_000))
        else { return .null }
        return JSONValue(document.root)
    }
}

extension JSONValue {
    /// The value with other keys of objects, where they occur as whole strings.
    func mentioning(_ keys: [String: String]) -> JSONValue {
        guard !keys.isEmpty else { return self }
        switch self {
        case .string(let text):
            guard text.utf8.count >= Bindings.shortestMention, let other = keys[text] else {
                return self
            }
            return .string(other)
        case .array(let elements): return .array(elements.map { $0.mentioning(keys) })
        case .object(let object):
            return .object(
                JSONObject(
                    object.members.map { member in
                        let name = member.key.string
                        let isLong = name.utf8.count >= Bindings.shortestMention
                        return .init(
                            isLong ? keys[name] ?? name : name, member.value.mentioning(keys))
                    }))
        default: return self
        }
    }

    /// A page of the index with the entries alone that were recorded or are known, without what
    /// others changed.
    fileprivate func keeping(_ known: Set<String>, _ bucket: SimperiumPlay.Bucket) -> JSONValue {
        guard case .object(var page) = self else { return self }
        for place in page.members.indices where page.members[place].key.string == "index" {
            guard case .array(let entries) = page.members[place].value else { continue }
            page.members[place].value = .array(
                entries.filter { entry in
                    guard let key = entry["id"]?.string else { return true }
                    return known.contains(key) || bucket.recordedKeys[key] != nil
                }.map { entry in
                    entry.maskingMember("v", isDropped: false)
                        .maskingMember("d", isDropped: false)
                })
        }
        return .object(page)
    }

    /// The value without the value of a member, or without the member.
    fileprivate func maskingMember(_ name: String, isDropped: Bool) -> JSONValue {
        guard case .object(var object) = self else { return self }
        if isDropped {
            object.members.removeAll { $0.key.string == name }
        } else {
            for place in object.members.indices where object.members[place].key.string == name {
                object.members[place].value = .string(LeftOut.mark)
            }
        }
        return .object(object)
    }
}
