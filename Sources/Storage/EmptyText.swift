/// A text without bytes, as SQLite takes it.
enum EmptyText {
    /// Where it begins, since a null pointer would be NULL.
    ///
    /// Safety: never written and never freed.
    nonisolated(unsafe) static let start: UnsafePointer<CChar> = {
        let byte = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
        byte.initialize(to: 0)
        return UnsafePointer(byte)
    }()
}
