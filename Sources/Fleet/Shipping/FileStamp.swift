internal import Platform

/// What shows that a trace has changed, without opening it.
struct FileStamp: Hashable {
    private var numbers: [Int64] = []

    /// The stamp of the trace at `path` and its log.
    init(_ path: String) {
        for ending in ["", "-wal"] {
            var status = stat()
            guard stat(path + ending, &status) == 0 else {
                numbers.append(-1)
                continue
            }
            numbers += [
                Int64(status.st_size), Int64(status.st_mtim.tv_sec), Int64(status.st_mtim.tv_nsec),
                Int64(status.st_ino),
            ]
        }
    }
}
