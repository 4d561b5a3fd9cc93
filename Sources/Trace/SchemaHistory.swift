/// What brings a trace of an earlier format up to date.
enum SchemaHistory {
    /// SQL that takes a trace from format `version` to the next; nil where there is no such format.
    static func step(from version: Int32) -> String? {
        switch version {
        case 1: toFormat2
        case 2: toFormat3
        case 3: toFormat4
        case 4: toFormat5
        case 5: toFormat6
        case 6: toFormat7
        case 7: toFormat8
        default: nil
        }
    }

    /// Bodies may stand in their chunk, and patches are numbered by it.
    private static let toFormat2 = """
        DROP VIEW IF EXISTS exchange; DROP VIEW IF EXISTS command;
        DROP VIEW IF EXISTS fault; DROP VIEW IF EXISTS finding;
        DROP INDEX patch_chunk;
        ALTER TABLE patch RENAME TO old_patch;
        \(Schema.patchTable)
        INSERT INTO patch SELECT
          16777216 * chunk_id + row_number() OVER (PARTITION BY chunk_id ORDER BY id) - 1,
          chunk_id, "offset", removed, inserted, reason FROM old_patch;
        DROP TABLE old_patch;
        ALTER TABLE body RENAME TO old_body;
        \(Schema.bodyTable)
        INSERT INTO http_body SELECT
          id, exchange_id, sender, NULL, NULL, length(head), head, trailers, NULL, content,
          typeof(content) = 'text', size, wire_size, coding, content_type, problem FROM old_body;
        DROP TABLE old_body;
        DELETE FROM counter WHERE name = 'patch';
        """

    /// Faults say what they were done to, and what became of it.
    private static let toFormat3 = """
        DROP VIEW IF EXISTS exchange; DROP VIEW IF EXISTS command;
        DROP VIEW IF EXISTS fault; DROP VIEW IF EXISTS finding; DROP VIEW IF EXISTS body;
        ALTER TABLE session ADD COLUMN seed TEXT;
        ALTER TABLE fault_statement RENAME TO old_fault;
        \(Schema.faultTables)
        INSERT INTO fault_statement SELECT
          f.id, f.session_id, f.at_ns, f.rule, f.action,
          (SELECT k.connection_id FROM chunk k WHERE k.id = f.chunk_id), NULL, '', 1, '0', x'', x'',
          f.chunk_id, f."offset" FROM old_fault f;
        DROP TABLE old_fault;
        \(Schema.views)
        """

    /// Views tell what each side held.
    private static let toFormat4 = stateViews

    /// Packets are kept beside the chunks that were made of them.
    private static let toFormat5 = Schema.packetTables

    /// Cases are told block by block; a rebuild makes the rows of what is there.
    private static let toFormat6 = Schema.caseBlockTable + "\n" + stateViews

    /// Case blocks have properties, requests a user and restores owners; a rebuild fills them in.
    private static let toFormat7 = """
        \(withoutStateViews)
        ALTER TABLE http_exchange ADD COLUMN user TEXT;
        ALTER TABLE openrosa ADD COLUMN owners TEXT;
        DROP INDEX case_block_case;
        ALTER TABLE case_block RENAME TO old_case_block;
        \(Schema.caseBlockTable)
        INSERT INTO case_block SELECT
          id, openrosa_id, exchange_id, sender, position, case_id, action, case_type, case_name,
          owner_id, user_id, date_modified, indices, NULL FROM old_case_block;
        DROP TABLE old_case_block;
        \(Schema.stateViews)
        """

    /// Legs say whether TLS is to be spoken on them.
    private static let toFormat8 =
        "ALTER TABLE leg ADD COLUMN is_tls INTEGER;"

    private static let stateViews = withoutStateViews + Schema.stateViews

    private static let withoutStateViews =
        Schema.stateViewNames.map { "DROP VIEW IF EXISTS \($0);\n" }.joined()
}
