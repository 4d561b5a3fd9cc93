internal import Platform

/// Files as the client needs them.
enum LocalFile {
    /// Reads a file in pieces; `piece` takes each, and false from it ends the reading.
    ///
    /// - Returns: Whether the file could be read.
    static func read(_ path: String, _ piece: ([UInt8]) -> Bool) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        var buffer = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = buffer.withUnsafeMutableBytes {
                Platform.read(file, $0.baseAddress, $0.count)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return count == 0 }
            if !piece(Array(buffer.prefix(count))) { return true }
        }
    }

    /// The first bytes of a file.
    static func head(_ path: String, limit: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        _ = read(path) {
            bytes += $0
            return bytes.count < limit
        }
        return Array(bytes.prefix(limit))
    }

    /// The size of a regular file in bytes; nil where there is none.
    static func size(_ path: String) -> Int64? {
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return nil }
        return Int64(status.st_size)
    }

    /// Syncs a file, or the names in a folder, to the disk.
    static func sync(_ path: String) -> Bool {
        let file = open(path, O_RDONLY | O_CLOEXEC)
        guard file >= 0 else { return false }
        defer { close(file) }
        return fsync(file) == 0
    }

    /// The names in a folder.
    static func names(in folder: String) -> [String] {
        guard let stream = opendir(folder) else { return [] }
        defer { closedir(stream) }
        var names: [String] = []
        while let entry = readdir(stream) {
            names.append(
                withUnsafePointer(to: &entry.pointee.d_name) {
                    $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
                })
        }
        return names
    }
}
