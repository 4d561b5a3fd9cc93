public import Notation
import Wire

/// Timed steps of a client, one a line.
///
///     # an edit on a bad line
///     at 2s set notes k {"a":1}
///     cut
///     offline
///     at 500ms delete notes k
///     online
///     wait synced
///     expect notes k missing
public struct SimperiumScript: Hashable, Sendable {
    /// One step.
    public struct Step: Hashable, Sendable {
        /// Nanoseconds since the start before which it is not done; nil for at once.
        public var time: Int64?
        /// What is done.
        public var action: Action
        /// Its line, counted from 1.
        public var line: Int
    }

    /// What a step does.
    public enum Action: Hashable, Sendable {
        /// Stores an object.
        case set(bucket: String, key: String, data: JSONValue)
        /// Removes an object.
        case delete(bucket: String, key: String)
        /// Breaks the socket.
        case cut
        /// Closes the socket until `online`.
        case offline
        /// Opens a socket.
        case online
        /// Waits until a socket is open.
        case waitConnected
        /// Waits until all buckets are read and all edits answered.
        case waitSynced
        /// Waits this many nanoseconds.
        case pause(Int64)
        /// Waits until an object has this value, or is deleted (nil).
        case waitFor(bucket: String, key: String, data: JSONValue?)
        /// Ends the script with 1 unless an object is this, or not there (nil).
        case expect(bucket: String, key: String, data: JSONValue?)
        /// Prints an object, or an empty line where there is none.
        case print(bucket: String, key: String)
    }

    /// The steps in order.
    public var steps: [Step]

    /// Reads a script.
    ///
    /// - Parameters:
    ///   - text: Lines; empty ones and those that begin with `#` are nothing.
    ///   - buckets: Names that may occur.
    /// - Throws: ``Problem``.
    public init(parsing text: String, buckets: [String]) throws(Problem) {
        steps = []
        for (place, line) in StepLine.all(of: text).enumerated() {
            var words = Words(line)
            guard let first = words.next(), !first.hasPrefix("#") else { continue }
            do throws(Problem) {
                steps.append(try Self.step(first, &words, buckets, line: place + 1))
            } catch { throw Problem(line: place + 1, reason: error.reason) }
        }
    }

    /// An error in a script.
    public struct Problem: Error, Hashable, Sendable {
        /// The line, counted from 1.
        public var line: Int
        /// The error, and how to correct it.
        public var reason: String
    }

    private static func step(
        _ first: String, _ words: inout Words, _ buckets: [String], line: Int
    ) throws(Problem) -> Step {
        func fail(_ reason: String) -> Problem { Problem(line: line, reason: reason) }
        var (name, time): (String, Int64?) = (first, nil)
        if first == "at" {
            guard let text = words.next(), let span = StepLine.nanoseconds(text) else {
                throw fail("`at` needs a time such as 2s or 500ms")
            }
            guard let next = words.next() else { throw fail("`at \(text)` needs a step") }
            (name, time) = (next, span)
        }
        func target() throws(Problem) -> (String, String) {
            guard let bucket = words.next(), let key = words.next() else {
                throw fail("`\(name)` needs a bucket and a key")
            }
            guard buckets.contains(bucket) else { throw fail("there is no --bucket \(bucket)") }
            return (bucket, key)
        }
        func data(orMissing: Bool) throws(Problem) -> JSONValue? {
            let rest = words.rest
            if orMissing, rest == "missing" { return nil }
            do { return try JSONValue(parsing: rest) } catch {
                throw fail("`\(rest)` is not JSON: \(error)")
            }
        }
        let action: Action
        switch name {
        case "set":
            let (bucket, key) = try target()
            guard let data = try data(orMissing: false), case .object = data else {
                throw fail("an object is needed, such as {\"a\":1}")
            }
            return Step(time: time, action: .set(bucket: bucket, key: key, data: data), line: line)
        case "expect":
            let (bucket, key) = try target()
            let data = try data(orMissing: true)
            return Step(
                time: time, action: .expect(bucket: bucket, key: key, data: data), line: line)
        case "wait":
            guard let what = words.next() else {
                throw fail(
                    "`wait` needs synced, connected, a "
                        + "time, or BUCKET KEY JSON")
            }
            if what == "synced" {
                action = .waitSynced
            } else if what == "connected" {
                action = .waitConnected
            } else if !buckets.contains(what), let span = StepLine.nanoseconds(what) {
                action = .pause(span)
            } else {
                guard buckets.contains(what) else {
                    throw fail("`wait` needs synced, connected, a time, or BUCKET KEY JSON")
                }
                guard let key = words.next() else { throw fail("`wait \(what)` needs a key") }
                let data = try data(orMissing: true)
                return Step(
                    time: time, action: .waitFor(bucket: what, key: key, data: data), line: line)
            }
        case "delete":
            let (bucket, key) = try target()
            action = .delete(bucket: bucket, key: key)
        case "print":
            let (bucket, key) = try target()
            action = .print(bucket: bucket, key: key)
        case "cut": action = .cut
        case "offline": action = .offline
        case "online": action = .online
        default:
            throw fail(
                "`\(name)` is none of set, delete, cut, offline, online, wait, expect, print")
        }
        guard words.rest.isEmpty else { throw fail("`\(words.rest)` is not expected here") }
        return Step(time: time, action: action, line: line)
    }

    /// The words of a line.
    private struct Words {
        private var text: Substring

        init(_ text: Substring) { self.text = text }

        /// What is left, without the space around it.
        var rest: String {
            var text = text.drop { $0 == " " || $0 == "\t" }
            while text.last == " " || text.last == "\t" { text.removeLast() }
            return String(text)
        }

        mutating func next() -> String? {
            text = text.drop { $0 == " " || $0 == "\t" }
            let word = text.prefix { $0 != " " && $0 != "\t" }
            text = text.dropFirst(word.count)
            return word.isEmpty ? nil : String(word)
        }
    }
}
