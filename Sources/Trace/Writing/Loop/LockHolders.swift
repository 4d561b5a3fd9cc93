internal import Foundation
internal import Platform

/// Which other programs hold locks of a trace, where the system lists them.
enum LockHolders {
    /// The locked range, as bytes of the shared memory beside the log, SQLite's WAL index.
    enum Lock {
        /// The right to write.
        case write
        /// A snapshot that is being read.
        case read

        var bytes: ClosedRange<Int> { self == .write ? 120...120 : 123...127 }
    }

    /// Whether this process alone holds such a lock: it reads what it records, for a diagnosis.
    static func isOwn(_ lock: Lock, trace: String) -> Bool {
        processes(lock, trace: trace) == [getpid()]
    }

    private static func processes(_ lock: Lock, trace: String) -> [Int32]? {
        guard let file = FileIdentity(path: trace + "-shm"),
            let table = Processes.lockTable.flatMap({
                try? String(contentsOfFile: $0, encoding: .utf8)
            })
        else { return nil }
        return processes(in: table, inode: file.inode, lock)
    }

    /// The names of the programs as text; "that program" where they are unknown.
    static func text(_ lock: Lock, trace: String) -> String {
        guard let all = processes(lock, trace: trace) else { return "that program" }
        let found = all.filter { $0 != getpid() }
        let names = found.prefix(3).map { process in
            let name = Processes.nameFile(of: process).flatMap {
                try? String(contentsOfFile: $0, encoding: .utf8)
            }
            return "\(name?.filter { !$0.isNewline } ?? "a program") (process \(process))"
        }
        return names.isEmpty ? "that program" : names.joined(separator: ", ")
    }

    /// The processes that lock such bytes of a file, by a table like
    /// `1: POSIX  ADVISORY  WRITE 1234 fd:01:5678 120 120`.
    static func processes(in table: String, inode: UInt64, _ lock: Lock) -> [Int32] {
        var found: [Int32] = []
        for line in table.split(separator: "\n") {
            let words = line.split(separator: " ")
            // One that waits for a lock has an arrow before its kind.
            guard words.count == 8, words[1] == "POSIX", let process = Int32(words[4]), process > 0,
                words[5].split(separator: ":").last.flatMap({ UInt64($0) }) == inode,
                let first = Int(words[6]), let last = words[7] == "EOF" ? .max : Int(words[7]),
                first <= last, (first...last).overlaps(lock.bytes), !found.contains(process)
            else { continue }
            found.append(process)
        }
        return found
    }
}
