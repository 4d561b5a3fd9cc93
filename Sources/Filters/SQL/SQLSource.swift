/// Where the rows of a trace have the values of a field.
///
/// The alias of the row that is judged is `x` for an exchange, `c` for a command and `m` for a
/// message.
indirect enum SQLSource {
    /// Nowhere: the subject does not have the field.
    case absent
    /// In an expression over the row, NULL where there is none.
    case column(String)
    /// In an expression with one argument, NULL where there is none.
    case function(String, SQLValue)
    /// In rows of other tables that have the number of the judged row.
    ///
    /// Run once for all rows, so it is for tables with indexes or narrow rows.
    case listed(key: String, select: String, from: String, SQLSource)
    /// In rows of other tables that are looked up for every judged row.
    ///
    /// For wide rows, which are left alone where something else has already decided. `page` is for
    /// all numbers from `?1` to `?2`: looking them up in their order takes half as long, where
    /// nothing else decides.
    case looked(String, page: ((FilterTest) -> SQLPage)?, SQLSource)
    /// In all of these.
    case several([SQLSource])
    /// In the full-text index up to where it is built, and beyond that in the rows.
    case words(SQLWords)
}

/// Where the words of a subject are.
struct SQLWords: Hashable {
    /// Number of the judged row in the index.
    var key: String
    /// What makes that number of a `rowid`.
    var rowNumber: String
    /// What is left of an id in the index or in `late` by 2 for rows of this subject.
    var parity: Int
    /// Table with the texts, under an alias, and in it number of the row, of the judged row, and
    /// the text.
    var table: String
    /// Number of a row of the table, by which the index progresses.
    var id: String
    /// Number of the judged row.
    var owner: String
    /// The text.
    var text: String
    /// What makes sure that there is one.
    var hasText: String
    /// Name of the progress.
    var progress: String
}

/// A query for the judged rows of a page of numbers.
struct SQLPage {
    /// Number of the judged row.
    var key: String
    /// What is selected, from where, and the condition on the page.
    var select: String
    /// The value there.
    var value: SQLSource
}
