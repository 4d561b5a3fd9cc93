import ArgumentParser
import Foundation
import Notation
import Simperium
import Wire

/// `tapedeck simperium parse`.
struct SimperiumParseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parse",
        abstract: "Read messages from standard input, one a line, and print each as JSON.",
        discussion: """
            Prints one object for every line, also for those that cannot be read: problem then has \
            the reason and the offset in bytes. The line feed inside of an entity (e:KEY.VERSION, \
            line feed, JSON) is written as \\n.

            Example: tapedeck simperium parse messages.txt
            """)

    @Option(
        name: .customLong("from"),
        help: ArgumentHelp("Who sent the messages.", valueName: "client|server"))
    var sender: Side

    func run() throws {
        var lines = LineSplitter(longest: 128 << 20)
        var output: [UInt8] = []
        func parse(_ line: [UInt8]) {
            let message = sender == .server ? Self.unfolded(line) : line
            let command = SimperiumCommand.parse(message, from: sender.peer)
            output += command.describedAsJSON(in: message).bytes()
            output.append(0x0A)
        }
        while true {
            let data = FileHandle.standardInput.availableData
            guard !data.isEmpty else { break }
            guard lines.feed(data, parse) else {
                StandardOutput.write(bytes: output)
                throw Failure(.data, "line \(lines.count + 1) is longer than 128 MiB")
            }
            StandardOutput.write(bytes: output)
            output.removeAll(keepingCapacity: true)
        }
        lines.finish(parse)
        StandardOutput.write(bytes: output)
    }

    /// The message on a line: `\n` after the head of an entity is a line feed there.
    ///
    /// No key contains a backslash, so this is unambiguous.
    static func unfolded(_ line: [UInt8]) -> [UInt8] {
        guard let colon = line.firstIndex(of: 0x3A), line[colon...].starts(with: ":e:".utf8),
            let slash = line.firstIndex(of: 0x5C), line.indices.contains(slash + 1),
            line[slash + 1] == 0x6E, !line[..<slash].contains(where: { $0 == 0x0A || $0 == 0x7B })
        else { return line }
        return line[..<slash] + [0x0A] + line[(slash + 2)...]
    }
}

/// Cuts bytes into lines, without their ends (LF or CR LF).
struct LineSplitter {
    /// Number of lines that were passed on.
    private(set) var count = 0
    private let longest: Int
    private var rest: [UInt8] = []

    /// A splitter that refuses lines of more than `longest` bytes.
    init(longest: Int) { self.longest = longest }

    /// Passes on the lines that end in `bytes`.
    ///
    /// - Returns: False where a line is too long.
    mutating func feed(_ bytes: some Sequence<UInt8>, _ take: ([UInt8]) -> Void) -> Bool {
        for byte in bytes {
            if byte == 0x0A {
                give(take)
            } else {
                guard rest.count < longest else { return false }
                rest.append(byte)
            }
        }
        return true
    }

    /// Passes on a last line without a line end.
    mutating func finish(_ take: ([UInt8]) -> Void) {
        if !rest.isEmpty { give(take) }
    }

    private mutating func give(_ take: ([UInt8]) -> Void) {
        if rest.last == 0x0D { rest.removeLast() }
        take(rest)
        count += 1
        rest.removeAll(keepingCapacity: true)
    }
}
