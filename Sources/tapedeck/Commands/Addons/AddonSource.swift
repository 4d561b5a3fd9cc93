import Addons
import Foundation

/// An add-on as the command line names it: a command, or a file of Lua.
struct AddonSource {
    private let command: String

    /// The add-on that `command` names.
    init(_ command: String) { self.command = command }

    /// The add-on, which is not started.
    ///
    /// - Throws: ``Failure`` where a file of Lua cannot be read.
    func addon(_ limits: AddonLimits, _ report: AddonReport) throws(Failure) -> any LiveAddon {
        guard command.hasSuffix(".lua"), !command.contains(" ") else {
            return AddonProcess(
                command, environment: ProcessInfo.processInfo.environment, limits: limits,
                report: report)
        }
        guard let source = FileManager.default.contents(atPath: command) else {
            throw Failure(.noInput, "the add-on \(command) cannot be read; check its name")
        }
        let name = command.split(separator: "/").last.map(String.init) ?? command
        return LuaAddon(Array(source), name: name, limits: limits, report: report)
    }
}
