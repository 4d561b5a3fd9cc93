internal import Platform

/// An open file of packets, at its beginning.
final class CaptureStream {
    let path: String
    let size: Int64
    /// nil once it was closed elsewhere.
    private var file: UnsafeMutablePointer<FILE>?

    /// Opens a regular file.
    init(path: String) throws(CaptureError) {
        self.path = path
        guard let file = fopen(path, "rbe") else {
            throw CaptureError(.cannotOpen, "cannot open \(path): \(Self.detail(errno))")
        }
        var status = stat()
        guard fstat(fileno(file), &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
            fclose(file)
            throw CaptureError(
                .cannotOpen, "\(path) is not a regular file; write the packets to one first")
        }
        size = Int64(status.st_size)
        self.file = file
    }

    deinit {
        if let file { fclose(file) }
    }

    /// The first bytes, after which the file is at its beginning again.
    func beginning(_ count: Int) throws(CaptureError) -> [UInt8] {
        var failure: CaptureError?
        let start = [UInt8](unsafeUninitializedCapacity: count) { memory, initialized in
            do throws(CaptureError) {
                initialized = try read(into: memory)
            } catch {
                failure = error
            }
        }
        if let failure { throw failure }
        if let file { rewind(file) }
        return start
    }

    /// Fills the memory as far as the file goes.
    ///
    /// - Returns: How many bytes were initialized; fewer than there is room for at the end only.
    func read(into memory: UnsafeMutableBufferPointer<UInt8>) throws(CaptureError) -> Int {
        guard let file else { return 0 }
        let count = fread(memory.baseAddress, 1, memory.count, file)
        guard count == memory.count || ferror(file) == 0 else {
            throw CaptureError(.storage, "cannot read \(path): \(Self.detail(errno))")
        }
        return count
    }

    /// Gives the file to the caller, who closes it.
    func release() -> UnsafeMutablePointer<FILE>? {
        defer { file = nil }
        return file
    }

    /// The system's text for an error.
    static func detail(_ number: Int32) -> String {
        strerror(number).map { String(cString: $0) } ?? "error \(number)"
    }
}
