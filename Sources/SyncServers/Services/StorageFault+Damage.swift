internal import CSQLite
internal import Storage

extension StorageFault {
    /// A row of a state file that this program did not write like that.
    ///
    /// Passed over, it would be lost in silence, and devices would get less than was acknowledged.
    ///
    /// - Parameters:
    ///   - table: Its table.
    ///   - key: What identifies it there, such as `id c1`.
    ///   - column: The column that cannot be read.
    /// - Returns: A fault that names the row and says what to do.
    static func damaged(_ table: String, _ key: String, _ column: String) -> StorageFault {
        StorageFault(
            code: SQLITE_CORRUPT,
            message:
                "\(column) of the row of \(table) with \(key) cannot be read; go on with a copy of the file, or delete that row with sqlite3"
        )
    }
}
