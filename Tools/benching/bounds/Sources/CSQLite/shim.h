#include <sqlite3.h>

/// Has SQLite keep no account of its memory, for which it would take a lock with every allocation.
/// To be called before it is used.
static inline int tapedeck_sqlite_keep_no_account(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}
