import Foundation
import Platform
import Synchronization

/// The files that were open when this program began, such as those that a shell opened for the
/// command; a command inherits these and none of ours.
enum InheritedFiles {
    private static let known = Mutex<Set<Int32>>([])

    /// Remembers what is open now, before anything of ours is.
    static func remember() {
        let open = open()
        known.withLock { $0 = open }
    }

    /// Lets no program that is started inherit what was opened since: libraries leave sockets open.
    static func closeOthers() {
        for descriptor in open().subtracting(known.withLock(\.self)) where descriptor > 2 {
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        }
    }

    private static func open() -> Set<Int32> {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: "/dev/fd")) ?? []
        // The folder itself is among them, and closed by now: its number goes to the next file.
        return Set(names.compactMap { Int32($0) }.filter { fcntl($0, F_GETFD) != -1 })
    }
}
