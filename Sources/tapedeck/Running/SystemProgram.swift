import Foundation

/// A program of the system that is run to its end.
enum SystemProgram {
    /// The file of a program, also where only root's shell looks.
    static func path(of program: String) -> String? {
        ClientProcess.path(of: program)
            ?? ["/usr/sbin", "/sbin"].map { "\($0)/\(program)" }
            .first { FileManager.default.isExecutableFile(atPath: $0) }
    }

    /// Runs a program and waits for it.
    ///
    /// - Parameters:
    ///   - program: Its name.
    ///   - arguments: The words after it.
    ///   - input: What it reads; small enough for a pipe.
    ///   - package: The package of Debian that has it.
    /// - Returns: What it wrote to standard output.
    /// - Throws: ``Failure`` where there is no such program, or it fails: with what it said.
    @discardableResult
    static func run(
        _ program: String, _ arguments: [String], input: String = "", package: String
    ) throws(Failure) -> String {
        guard let path = path(of: program) else {
            throw Failure(
                .unavailable, "there is no program \(program); install the package \(package)")
        }
        let process = Process()
        process.executableURL = URL(fileURLWithPath: path)
        process.arguments = arguments
        let (reading, output, errors) = (Pipe(), Pipe(), Pipe())
        process.standardInput = reading
        process.standardOutput = output
        process.standardError = errors
        do { try process.run() } catch {
            throw Failure(.io, "\(program) cannot be started: \(error.localizedDescription)")
        }
        // One that does not read has ended, and says why.
        try? reading.fileHandleForWriting.write(contentsOf: Data(input.utf8))
        try? reading.fileHandleForWriting.close()
        let said = output.fileHandleForReading.readDataToEndOfFile()
        let complaints = errors.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let text = String(decoding: said, as: UTF8.self)
        guard process.terminationStatus == 0 else {
            let lines = (String(decoding: complaints, as: UTF8.self) + text)
                .split(whereSeparator: \.isNewline).joined(separator: "; ")
            throw Failure(.io, "\(program) failed: \(lines)")
        }
        return text
    }
}
