import Foundation
import Platform

/// Makes sure that the trace is written to the intended file, and readable by its owner only.
enum TraceAccess {
    /// The path that a trace is written to: a symbolic link is followed once, here, and reported.
    ///
    /// - Parameters:
    ///   - path: As it was given.
    ///   - notice: Receives a message for the user about what was found.
    /// - Returns: The path of the file itself.
    /// - Throws: ``Failure`` where a link leads nowhere.
    static func path(
        _ path: String, notice: (String) -> Void
    ) throws(Failure) -> String {
        let facts = try? FileManager.default.attributesOfItem(atPath: path)
        guard facts?[.type] as? FileAttributeType == .typeSymbolicLink else { return path }
        guard let target = realpath(path, nil) else {
            throw Failure(
                .noInput,
                "\(path) is a symbolic link to a file that does not exist; name the file itself")
        }
        defer { free(target) }
        let meant = String(cString: target)
        notice("\(path) is a symbolic link; the trace is written to \(meant)")
        return meant
    }

    /// Makes a trace readable by its owner only, since recorded traffic is secret.
    ///
    /// - Parameters:
    ///   - path: The file itself, which is known to be a trace.
    ///   - notice: Receives a message for the user about what was changed.
    /// - Throws: ``Failure`` where others may read it and it belongs to another user.
    static func tighten(_ path: String, notice: (String) -> Void) throws(Failure) {
        try tighten(one: path, notice: notice)
        // SQLite gave them the mode of the trace.
        for suffix in ["-wal", "-shm"] { try tighten(one: path + suffix, notice: { _ in }) }
    }

    private static func tighten(one path: String, notice: (String) -> Void) throws(Failure) {
        let facts = try? FileManager.default.attributesOfItem(atPath: path)
        guard facts?[.type] as? FileAttributeType == .typeRegular,
            let bits = facts?[.posixPermissions] as? NSNumber, bits.intValue & 0o077 != 0
        else { return }
        let mode = String(bits.intValue & 0o777, radix: 8)
        guard chmod(path, 0o600) == 0 else {
            throw Failure(
                .noInput,
                "\(path) has mode \(mode), so others can read what is recorded, and it belongs to "
                    + "another user; name another file")
        }
        notice("\(path) had mode \(mode), so others could read the traffic; it has mode 600 now")
    }
}
