internal import Simperium
internal import Wire

extension SimperiumServer {
    /// Why a change is not made, by its code in `simperium-websocket.txt`, "Error Responses".
    enum Refusal: Int, Error, Hashable, CaseIterable {
        case invalid = 400
        case notFound = 404
        case badVersion = 405
        case duplicate = 409
        case empty = 412
        case tooLarge = 413
        case badDiff = 440
        case noRoom = 503
    }

    /// A change that can be made.
    private struct Accepted {
        var key: String
        var ccid: String
        /// What is done: the operations, rebased, or nothing for a removal.
        var operations: JSONObject?
        /// What the object becomes and its size; nil where it is removed.
        var data: (JSONObject, weight: Int)?
        /// Version it applies to; nil where the object is created.
        var source: Int64?
        var version: Int64
    }

    /// Makes one change of a `c`, and tells everybody.
    mutating func change(
        _ change: SimperiumChange, in message: [UInt8], _ place: Subscriber, _ channel: Channel,
        _ now: Int64, _ random: inout some RandomNumberGenerator
    ) -> [Reply] {
        let accepted: Accepted
        do {
            accepted = try judge(change, message, channel)
        } catch {
            return [reply(place, "c:[\(refusal(error, change, channel))]")]
        }
        let name = channel.bucket
        let cv = buckets[name]?.nextVersion(now) ?? ""
        var members = [
            JSONObject.Member("clientid", .string(channel.clientID)),
            JSONObject.Member("id", .string(accepted.key)),
            JSONObject.Member("o", .string(accepted.operations == nil ? "-" : "M")),
        ]
        if let operations = accepted.operations {
            members.append(JSONObject.Member("v", .object(operations)))
        }
        if let source = accepted.source {
            members.append(JSONObject.Member("sv", .number(String(source))))
        }
        members += [
            JSONObject.Member("ev", .number(String(accepted.version))),
            JSONObject.Member("cv", .string(cv)),
            JSONObject.Member("ccids", .array([.string(accepted.ccid)])),
        ]
        let text = JSONValue.object(JSONObject(members)).text()
        buckets[name]?.change(
            accepted.key, to: accepted.data, version: accepted.version, cv: cv, text: text,
            by: (channel.clientID, accepted.ccid))
        // The author's own copy is the acknowledgement; all get the changes in the same order.
        return (subscribers[name] ?? []).map { reply($0, "c:[\(text)]") }
    }

    /// Checks a change and works out what it makes of its object.
    private func judge(
        _ change: SimperiumChange, _ message: [UInt8], _ channel: Channel
    ) throws(Refusal) -> Accepted {
        guard let key = change.key, Self.isIdentifier(key, 256, "._-%@"),
            change.ccids.count == 1, let ccid = change.ccids.first, 1...256 ~= ccid.utf8.count,
            let bucket = buckets[channel.bucket]
        else { throw .invalid }
        guard !bucket.knows(client: channel.clientID, ccid: ccid) else { throw .duplicate }
        let object = bucket.objects[key]
        let head = object?.versions.last
        let version = (object?.version ?? 0) + 1
        switch change.operation {
        case .remove:
            guard let head else { throw .notFound }
            return Accepted(
                key: key, ccid: ccid, operations: nil, data: nil, source: head.version,
                version: version)
        case .modify: break
        default: throw .invalid
        }
        let base = head?.data ?? JSONObject()
        let operations: JSONObject
        let result: JSONObject
        if let range = change.data {
            guard case .object(let data) = try json(message, range, or: .invalid) else {
                throw .invalid
            }
            operations = ObjectRebase.replacing(base, with: data)
            result = data
        } else {
            guard let range = change.value else { throw .invalid }
            guard case .object(let sent) = try json(message, range, or: .badDiff) else {
                throw .badDiff
            }
            switch (change.sv, head) {
            case (nil, nil): operations = sent
            case (nil, .some): throw .badVersion
            case (.some, nil): throw .notFound
            case (.some(let sv), .some(let head)):
                guard sv <= head.version, let old = object?.data(sv) else { throw .badVersion }
                guard sv < head.version else {
                    operations = sent
                    break
                }
                guard let rebased = ObjectRebase.rebase(sent, from: old, to: head.data) else {
                    throw .badVersion
                }
                operations = rebased
            }
            do {
                guard
                    case .object(let applied) = try JSONDiff.apply(
                        .object(operations), to: .object(base))
                else { throw Refusal.badDiff }
                result = applied
            } catch {
                throw .badDiff
            }
        }
        guard head == nil || !JSONValue.object(result).isSame(as: .object(base)) else {
            throw .empty
        }
        let weight = JSONValue.object(result).bytes().count
        guard weight <= Bucket.Limit.object else { throw .tooLarge }
        guard bucket.total + weight <= Bucket.Limit.total else { throw .noRoom }
        return Accepted(
            key: key, ccid: ccid, operations: operations, data: (result, weight),
            source: head?.version, version: version)
    }

    /// Part of a message as JSON.
    private func json(
        _ message: [UInt8], _ range: Range<Int>, or refusal: Refusal
    ) throws(Refusal) -> JSONValue {
        do {
            return JSONValue(try JSONDocument.scan(message, in: range).root)
        } catch {
            throw refusal
        }
    }

    /// The element of a `c` that refuses a change.
    private func refusal(
        _ error: Refusal, _ change: SimperiumChange, _ channel: Channel
    ) -> String {
        let members = [
            JSONObject.Member("clientid", .string(channel.clientID)),
            JSONObject.Member("id", .string(change.key ?? "")),
            JSONObject.Member("error", .number(String(error.rawValue))),
            JSONObject.Member("ccids", .array(change.ccids.prefix(100).map { .string($0) })),
        ]
        return JSONValue.object(JSONObject(members)).text()
    }
}
