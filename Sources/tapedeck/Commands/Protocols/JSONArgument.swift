import ArgumentParser
import Foundation
import Notation
import Simperium
import Wire

/// A JSON value on the command line: its text, `@FILE`, or `-` for standard input.
struct JSONArgument: ExpressibleByArgument {
    private let argument: String

    init?(argument: String) { self.argument = argument }

    /// Whether it is read from standard input, which only one argument can be.
    var isStandardInput: Bool { argument == "-" }

    /// Reads the value; `name` is its name in messages.
    ///
    /// Keys that occur twice are reported on standard error, since programs differ in which one
    /// counts.
    func value(_ name: String) throws(Failure) -> JSONValue {
        let bytes = try bytes(name)
        let value: JSONValue
        do {
            value = JSONValue(try JSONDocument.scan(bytes).root)
        } catch {
            throw Failure(.data, "\(place(name)): \(error) at byte \(error.offset)")
        }
        for path in JSONDiff.duplicateKeys(in: value) {
            StandardError.write("tapedeck: \(place(name)): \(path) occurs twice; the last counts\n")
        }
        return value
    }

    private func place(_ name: String) -> String {
        if isStandardInput { return "\(name) on standard input" }
        return argument.hasPrefix("@") ? "\(name) in \(argument.dropFirst())" : name
    }

    private func bytes(_ name: String) throws(Failure) -> [UInt8] {
        if isStandardInput { return [UInt8](FileHandle.standardInput.readDataToEndOfFile()) }
        guard argument.hasPrefix("@") else { return Array(argument.utf8) }
        let path = String(argument.dropFirst())
        guard let data = FileManager.default.contents(atPath: path) else {
            throw Failure(.noInput, "\(name): \(path) cannot be read; check the name")
        }
        return [UInt8](data)
    }
}

extension [JSONArgument] {
    /// Refuses standard input for more than one of them.
    func checkStandardInput() throws(Failure) {
        guard count(where: \.isStandardInput) <= 1 else {
            throw Failure(.usage, "only one argument can be -, standard input is read once")
        }
    }
}
