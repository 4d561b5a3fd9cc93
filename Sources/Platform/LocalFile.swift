/// Files of this machine, read in one go.
package enum LocalFile {
    /// What is at a path.
    package enum Content: Hashable, Sendable {
        /// A file, with when it was changed last, in seconds since 1970.
        case file([UInt8], modifiedUnixSeconds: Int64)
        /// A folder.
        case folder
    }

    /// Reads what is at `path`; blocks.
    ///
    /// - Parameters:
    ///   - path: The path; links are followed.
    ///   - most: Bytes beyond which a file is not read.
    /// - Returns: Nil where there is neither a file nor a folder that can be read, or the file is
    ///   larger.
    package static func read(_ path: String, atMost most: Int) -> Content? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var status = stat()
        guard fstat(descriptor, &status) == 0 else { return nil }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: return .folder
        case S_IFREG: break
        default: return nil
        }
        guard status.st_size <= most else { return nil }
        #if os(Linux)
        let modified = Int64(status.st_mtim.tv_sec)
        #else
        let modified = Int64(status.st_mtimespec.tv_sec)
        #endif
        let size = Int(status.st_size)
        var isWhole = true
        let bytes = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            while count < size {
                let got = Platform.read(
                    descriptor, buffer.baseAddress?.advanced(by: count), size - count)
                guard got > 0 else { break }
                count += got
            }
            isWhole = count == size
        }
        return isWhole ? .file(bytes, modifiedUnixSeconds: modified) : nil
    }
}
