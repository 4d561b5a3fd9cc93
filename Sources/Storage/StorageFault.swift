internal import CSQLite

/// An error of SQLite.
package struct StorageFault: Error, CustomStringConvertible {
    /// Extended result code.
    package var code: Int32
    /// SQLite's message.
    package var message: String

    package var description: String { "\(message) (SQLite \(code))" }

    /// The result code without its extension.
    package var primary: Int32 { code & 0xFF }

    /// Whether the disk has no room or fails, which may pass.
    package var isDisk: Bool { primary == SQLITE_FULL || primary == SQLITE_IOERR }

    /// Whether another connection holds a lock, which is temporary.
    package var isBusy: Bool { primary == SQLITE_BUSY || primary == SQLITE_LOCKED }

    package init(code: Int32, message: String) {
        self.code = code
        self.message = message
    }
}
