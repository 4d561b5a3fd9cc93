import ArgumentParser
import Foundation
import Notation
import OpenRosa
import Wire

/// `tapedeck openrosa`: documents of CommCare and OpenRosa, without a server.
struct OpenRosaGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "openrosa",
        abstract: "Read CommCare and OpenRosa documents.",
        subcommands: [OpenRosaParseCommand.self])
}

/// `tapedeck openrosa parse`.
struct OpenRosaParseCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parse",
        abstract: "Print the content of an XML document, one JSON object per line.",
        discussion: """
            Reads responses, restores, filled forms, form lists and manifests as they stream by, \
            in memory that does not grow with them. No DTD is read, no entity expanded, no file or \
            network touched. Every line has line, column and offset; a document that is not \
            well-formed yields an error line and exit status 65.

            Example: tapedeck openrosa parse form.xml
            """)

    @Argument(help: "The document; - for standard input.", completion: .file())
    var file: String

    @Flag(
        help:
            "Read it as a submission of a device: any root other than a response is a filled form.")
    var submission = false

    func run() throws {
        let input = try open()
        var output: [UInt8] = []
        func write(_ value: JSONValue) {
            output += value.bytes()
            output.append(0x0A)
        }
        let reader = CommCareReader(purpose: submission ? .submission : .any) { event in
            write(event.describedAsJSON())
        }
        do throws(XMLError) {
            while let data = try? input.read(upToCount: 1 << 16), !data.isEmpty {
                try [UInt8](data).withUnsafeBufferPointer { bytes throws(XMLError) in
                    try reader.feed(bytes.span)
                }
                StandardOutput.write(bytes: output)
                output.removeAll(keepingCapacity: true)
            }
            try reader.finish()
        } catch {
            write(error.describedAsJSON())
            StandardOutput.write(bytes: output)
            throw Failure(.data, "\(file == "-" ? "standard input" : file): \(error)")
        }
        StandardOutput.write(bytes: output)
    }

    private func open() throws(Failure) -> FileHandle {
        if file == "-" { return FileHandle.standardInput }
        var isDirectory: ObjCBool = false
        guard FileManager.default.fileExists(atPath: file, isDirectory: &isDirectory),
            !isDirectory.boolValue, let handle = FileHandle(forReadingAtPath: file)
        else { throw Failure(.noInput, "\(file) cannot be read; check the name") }
        return handle
    }
}
