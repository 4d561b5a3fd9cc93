import ArgumentParser
import Diagnosis
import Faults
import Filters
import Foundation
import Trace

/// What a shell completes where the program has to know it.
enum Completion {
    /// Files and folders that begin with `prefix`, as a shell names them.
    static func files(_ prefix: String) -> [String] {
        let folder = prefix.lastIndex(of: "/").map { String(prefix[...$0]) } ?? ""
        let names =
            (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder))
            ?? []
        return names.map { folder + $0 }.filter { $0.hasPrefix(prefix) }.sorted()
    }

    /// Packs of faults, and files.
    static func plans(_ prefix: String) -> [String] {
        FaultPack.all.map(\.name).filter { $0.hasPrefix(prefix) } + files(prefix)
    }

    /// Names of rules of diagnosis.
    static func rules(_ prefix: String) -> [String] {
        Rules.all.map(\.id).filter { $0.hasPrefix(prefix) }
    }

    /// Fields of the filter language, with their colon; values of `api`.
    static func filters(_ prefix: String) -> [String] {
        let words = prefix.split(separator: " ", omittingEmptySubsequences: false)
        let last = words.last.map(String.init) ?? ""
        let before = words.dropLast().map { $0 + " " }.joined()
        let names =
            last.hasPrefix("api:")
            ? APINames.all.map { "api:\($0)" } : Field.allCases.map { "\($0.rawValue):" }
        return names.filter { $0.hasPrefix(last) }.map { before + $0 }
    }

    /// Numbers of exchanges of the trace that the words of a command line name, the newest first.
    static func rows(_ words: [String], _ prefix: String) -> [String] {
        guard let path = words.first(where: { FileManager.default.fileExists(atPath: $0) }),
            let reader = try? TraceReader(path: path),
            let last = try? reader.lastNumbers().exchange
        else { return [] }
        return stride(from: last, to: max(0, last - 200), by: -1).map { String($0) }
            .filter { $0.hasPrefix(prefix) }
    }
}
