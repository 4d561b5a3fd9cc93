/// This process, and what the system reports about others.
package enum Processes {
    /// Gives the calling thread the lowest priority, where the system supports that for a thread.
    package static func lowerPriorityOfThread() {
        #if canImport(Glibc)
        // On Linux this applies to the calling thread.
        setpriority(__priority_which_t(PRIO_PROCESS.rawValue), 0, 19)
        #elseif os(Linux)
        setpriority(PRIO_PROCESS, 0, 19)
        #elseif canImport(Darwin)
        pthread_set_qos_class_self_np(QOS_CLASS_BACKGROUND, 0)
        #endif
    }

    /// Path of the program that runs; nil where the system does not report it.
    package static var ownPath: String? {
        #if os(Linux)
        guard let path = realpath("/proc/self/exe", nil) else { return nil }
        defer { free(path) }
        return String(cString: path)
        #elseif canImport(Darwin)
        var size: UInt32 = 0
        _NSGetExecutablePath(nil, &size)
        var bytes = [CChar](repeating: 0, count: Int(size) + 1)
        guard _NSGetExecutablePath(&bytes, &size) == 0 else { return nil }
        let path = bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return String(decoding: path, as: UTF8.self)
        #else
        return nil
        #endif
    }

    /// Path of a file that lists the locks of all processes, in the form of Linux; nil where the
    /// system has none.
    package static var lockTable: String? {
        #if os(Linux)
        "/proc/locks"
        #else
        nil
        #endif
    }

    /// Path of a file with the name of a process; nil where the system has none.
    package static func nameFile(of process: Int32) -> String? {
        #if os(Linux)
        "/proc/\(process)/comm"
        #else
        nil
        #endif
    }
}
