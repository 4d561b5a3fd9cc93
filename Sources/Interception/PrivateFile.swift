import Platform

/// Reading and writing whole small files that only their owner may see.
enum PrivateFile {
    /// Largest file that is read, in bytes; a certificate authority needs about two thousand.
    static let limit = 1 << 20

    /// The system's message for `errno`.
    static func failure(_ path: String, _ doing: String) -> InterceptionError {
        let detail = strerror(errno).map { String(cString: $0) } ?? "error \(errno)"
        return InterceptionError(.storage, "cannot \(doing) \(path): \(detail)")
    }

    /// Why a secret is not kept behind a symbolic link.
    static func behindLink(_ path: String, _ what: String) -> InterceptionError {
        InterceptionError(
            .exposedKey,
            "\(path) is a symbolic link, whose creator chose the file; put \(what) there itself, "
                + "or give the path of the target")
    }

    /// Reads the file at `path`.
    ///
    /// - Parameters:
    ///   - path: Where it is.
    ///   - secret: Whether to refuse a file that others than its owner may read, and a symbolic
    ///     link, since its creator chooses the key.
    ///   - limit: Largest file that is read, in bytes.
    /// - Returns: All its bytes; nil where there is no file.
    /// - Throws: ``InterceptionError``: `exposedKey`, `damaged` where it is too large, `storage`.
    static func read(
        _ path: String, secret: Bool, limit: Int = PrivateFile.limit
    ) throws(InterceptionError) -> [UInt8]? {
        let file = open(path, O_RDONLY | O_CLOEXEC | (secret ? O_NOFOLLOW : 0))
        guard file >= 0 else {
            if errno == ENOENT || errno == ENOTDIR { return nil }
            if errno == ELOOP, secret { throw behindLink(path, "the private key") }
            throw failure(path, "open")
        }
        defer { close(file) }
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure(path, "look at") }
        if secret, status.st_mode & 0o077 != 0 {
            let mode = String(status.st_mode & 0o777, radix: 8)
            throw InterceptionError(
                .exposedKey,
                "\(path) has mode \(mode), so others can read the private key; "
                    + "if it was never copied, run: chmod 600 \(path)")
        }
        guard status.st_size <= limit else {
            throw InterceptionError(.damaged, "\(path) is larger than a certificate can be")
        }
        var bytes: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 1 << 14)
        while bytes.count <= limit {
            let count = Platform.read(file, &buffer, buffer.count)
            if count == 0 { return bytes }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw failure(path, "read")
            }
            bytes.append(contentsOf: buffer.prefix(count))
        }
        throw InterceptionError(.damaged, "\(path) is larger than a certificate can be")
    }

    /// Removes the permissions of all but the owner from an open file.
    ///
    /// - Parameters:
    ///   - file: Its descriptor; nothing is done where it is not a regular file.
    ///   - path: Its name, as text.
    ///   - secret: What others could read in it, as text.
    /// - Returns: What was done, as text; nil where nothing had to be.
    /// - Throws: ``InterceptionError`` with code `exposedKey` where it belongs to another user.
    static func tighten(
        _ file: Int32, _ path: String, _ secret: String
    ) throws(InterceptionError) -> String? {
        var status = stat()
        guard fstat(file, &status) == 0 else { throw failure(path, "look at") }
        guard status.st_mode & S_IFMT == S_IFREG, status.st_mode & 0o077 != 0 else { return nil }
        let mode = String(status.st_mode & 0o777, radix: 8)
        guard fchmod(file, 0o600) == 0 else {
            throw InterceptionError(
                .exposedKey,
                "\(path) has mode \(mode), so others can read \(secret), and it belongs to another "
                    + "user; choose another file")
        }
        return "\(path) had mode \(mode), so others could read \(secret); it has mode 600 now"
    }

    /// How a finished file takes its name.
    enum Placing {
        /// An existing file is replaced.
        case replacing
        /// An existing file is kept.
        case first
    }

    /// Writes a file that is complete from the time its name exists.
    ///
    /// Returns whether `bytes` now have the name: false with ``Placing/first`` where another
    /// process was faster.
    @discardableResult
    static func write(
        _ bytes: [UInt8], to path: String, mode: mode_t, _ placing: Placing
    ) throws(InterceptionError) -> Bool {
        let draft = "\(path).\(getpid())-\(String(UInt32.random(in: 0 ... .max), radix: 16))"
        let file = open(draft, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard file >= 0 else { throw failure(draft, "create") }
        defer { unlink(draft) }
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Platform.write(file, $0.baseAddress, $0.count) }
            if count < 0 {
                if errno == EINTR { continue }
                let error = failure(draft, "write")
                close(file)
                throw error
            }
            rest = rest.dropFirst(count)
        }
        // The mode requested at `open` was masked by the umask.
        let complete = fchmod(file, mode) == 0 && fsync(file) == 0
        let error = complete ? nil : failure(draft, "write")
        close(file)
        if let error { throw error }
        switch placing {
        case .replacing:
            guard rename(draft, path) == 0 else { throw failure(path, "write") }
        case .first:
            guard link(draft, path) == 0 else {
                if errno == EEXIST { return false }
                throw failure(path, "write")
            }
        }
        return true
    }

    /// Creates `path` and what is missing above it; the last part is for its owner alone.
    static func makeDirectory(_ path: String) throws(InterceptionError) {
        var made = ""
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        if path.hasPrefix("/") { made = "/" }
        for (index, part) in parts.enumerated() {
            made += part
            let mode: mode_t = index == parts.count - 1 ? 0o700 : 0o755
            if mkdir(made, mode) != 0, errno != EEXIST { throw failure(made, "create") }
            made += "/"
        }
    }
}
