/// File descriptors of this process.
package enum OpenFiles {
    /// How many are open; nil where the system does not report it.
    ///
    /// Reads a folder of the system, which takes as long as there are descriptors.
    package static func count() -> Int? {
        #if os(Linux)
        let folder = opendir("/proc/self/fd")
        #else
        let folder = opendir("/dev/fd")
        #endif
        guard let folder else { return nil }
        defer { closedir(folder) }
        var count = 0
        while readdir(folder) != nil { count += 1 }
        // Without `.`, `..` and the descriptor of the folder.
        return max(0, count - 3)
    }

    /// The numbers of those that are open; none where the system does not report them.
    package static func descriptors() -> [Int32] {
        #if os(Linux)
        let folder = opendir("/proc/self/fd")
        #else
        let folder = opendir("/dev/fd")
        #endif
        guard let folder else { return [] }
        defer { closedir(folder) }
        var found: [Int32] = []
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 1) { String(cString: $0) }
            }
            if let number = Int32(name), number != dirfd(folder) { found.append(number) }
        }
        return found
    }

    /// Raises the descriptor limit of this process, as far as the system allows without privileges.
    ///
    /// - Parameter wanted: The required number.
    /// - Returns: How many it may have now.
    package static func raiseLimit(to wanted: UInt64) -> Int {
        #if canImport(Glibc)
        let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let resource = RLIMIT_NOFILE
        #endif
        var limits = rlimit()
        getrlimit(resource, &limits)
        let enough = min(limits.rlim_max, rlim_t(wanted))
        if limits.rlim_cur < enough {
            var raised = limits
            raised.rlim_cur = enough
            if setrlimit(resource, &raised) == 0 { limits = raised }
        }
        return Int(clamping: limits.rlim_cur)
    }

    /// A short path to a file in a folder that is open: paths of sockets have about 100 bytes.
    ///
    /// - Parameters:
    ///   - name: Name of the file within the folder.
    ///   - folder: Descriptor of the folder, which has to stay open.
    /// - Returns: The path; elsewhere than on Linux the whole one, which may be too long.
    package static func path(of name: String, in folder: Int32) -> String {
        #if os(Linux)
        return "/proc/self/fd/\(folder)/\(name)"
        #elseif canImport(Darwin)
        var bytes = [CChar](repeating: 0, count: Int(MAXPATHLEN))
        _ = fcntl(folder, F_GETPATH, &bytes)
        let path = bytes.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }
        return "\(String(decoding: path, as: UTF8.self))/\(name)"
        #else
        return name
        #endif
    }

    /// Takes room on the disk for the first bytes of a file.
    ///
    /// - Returns: Whether there is so much; where not, some of it may be taken.
    package static func reserve(_ count: Int64, of descriptor: Int32) -> Bool {
        #if canImport(Darwin)
        var store = fstore_t(
            fst_flags: UInt32(F_ALLOCATEALL), fst_posmode: F_PEOFPOSMODE, fst_offset: 0,
            fst_length: count, fst_bytesalloc: 0)
        return fcntl(descriptor, F_PREALLOCATE, &store) == 0
            && ftruncate(descriptor, off_t(count)) == 0
        #else
        return posix_fallocate(descriptor, 0, off_t(count)) == 0
        #endif
    }
}
