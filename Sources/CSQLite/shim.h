#include <sqlite3.h>
#include <stdint.h>

/// Has SQLite keep no account of its memory, for which it would take a lock with every allocation.
/// To be called before it is used.
static inline int tapedeck_sqlite_keep_no_account(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/// A value of a row that waits: a number, or where its bytes begin.
typedef struct {
    int64_t number;
    int64_t count;
    int64_t kind;
} tapedeck_cell;

/// Rows that wait in memory for a statement.
typedef struct {
    const tapedeck_cell *cells;
    const uint8_t *bytes;
    int64_t count;
    int64_t width;
} tapedeck_rows;

/// The virtual table that has them; what SQLite knows of it comes first.
typedef struct {
    sqlite3_vtab base;
    const tapedeck_rows *rows;
} tapedeck_rows_table;

/// A place in that table.
typedef struct {
    sqlite3_vtab_cursor base;
    const tapedeck_cell *values;
    const tapedeck_cell *end;
    const uint8_t *bytes;
    int64_t width;
} tapedeck_rows_cursor;
