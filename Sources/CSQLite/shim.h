#include <sqlite3.h>
#include <stdint.h>

/// Has SQLite keep no account of its memory, for which it would take a lock with every allocation.
/// To be called before it is used.
static inline int tapedeck_sqlite_keep_no_account(void) {
    return sqlite3_config(SQLITE_CONFIG_MEMSTATUS, 0);
}

/// The functions of full-text search in a connection, as SQLite passes them on.
static inline int tapedeck_fts5_api(sqlite3 *connection, fts5_api **api) {
    sqlite3_stmt *statement;
    int code = sqlite3_prepare_v2(connection, "SELECT fts5(?1)", -1, &statement, 0);
    if (code != SQLITE_OK) return code;
    sqlite3_bind_pointer(statement, 1, api, "fts5_api_ptr", 0);
    sqlite3_step(statement);
    return sqlite3_finalize(statement);
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
