import Foundation
import Testing

/// Every input that is kept for fuzzing, given to its harness as an ordinary test.
///
/// The harnesses are those of `Tools/fuzzing`, which libFuzzer gives new inputs to; what has to hold
/// is written there. Time and memory are measured by `Tools/fuzz` alone.
@Suite struct CorpusTests {
    @Test(arguments: KeptInput.all) func `what harnesses demand holds`(input: KeptInput) throws {
        let harness = try #require(Harness.named(input.harness))
        harness.run(try input.bytes)
    }

    @Test(arguments: Harness.all.map(\.name)) func `holds for nothing`(name: String) throws {
        try #require(Harness.named(name)).run([])
    }

    @Test func `every folder of inputs belongs to a harness`() {
        #expect(Set(KeptInput.all.map(\.harness)).subtracting(Harness.all.map(\.name)).isEmpty)
        #expect(KeptInput.all.count > 400)
    }
}

/// An input in a file of `Tools/fuzzing/corpus` or `Tools/fuzzing/regressions`.
struct KeptInput: CustomTestStringConvertible {
    private static let home = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Tools/fuzzing").standardizedFileURL

    /// All there are, in the order of their names.
    static let all: [KeptInput] = ["corpus", "regressions"].flatMap { kind in
        names(in: home.appending(path: kind)).flatMap { harness in
            let folder = home.appending(path: kind).appending(path: harness)
            return names(in: folder).map {
                KeptInput(harness: harness, file: folder.appending(path: $0))
            }
        }
    }

    /// Name of its harness.
    let harness: String
    private let file: URL

    /// What is in it.
    var bytes: [UInt8] { get throws { Array(try Data(contentsOf: file)) } }

    /// Where it is, below the folders of inputs.
    var testDescription: String { "\(harness)/\(file.lastPathComponent)" }

    private static func names(in folder: URL) -> [String] {
        let found = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
        return (found ?? []).sorted()
    }
}
