import Notation
internal import OpenRosa
internal import Storage
internal import Wire

/// The CommCare server's part of the state file.
///
/// Forms and the files that came with them as they were sent, cases and ledgers as they are, and
/// what is kept of the restores that were given out. For one thread at a time.
final class CommCareStore {
    let connection: Connection
    private let addForm: Statement
    private let addAttachment: Statement
    private let putCase: Statement
    private let putLedger: Statement
    private let addRestore: Statement
    private let dropRestore: Statement
    private let addKey: Statement

    /// The tables, made where they are missing.
    init(_ connection: Connection) throws(StorageFault) {
        self.connection = connection
        try connection.execute(Self.schema)
        addForm = try connection.prepare(
            "INSERT INTO commcare_form VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)")
        addAttachment = try connection.prepare(
            "INSERT OR REPLACE INTO commcare_attachment VALUES (?, ?, ?, ?, ?)")
        putCase = try connection.prepare("INSERT OR REPLACE INTO commcare_case VALUES (?, ?, ?, ?)")
        putLedger = try connection.prepare(
            "INSERT OR REPLACE INTO commcare_ledger VALUES (?, ?, ?, ?, ?, ?, ?)")
        addRestore = try connection.prepare(
            """
            INSERT INTO commcare_restore (token, domain, user, form, created, basis)
              VALUES (?, ?, ?, ?, ?, ?)
            """)
        dropRestore = try connection.prepare("DELETE FROM commcare_restore WHERE token = ?")
        addKey = try connection.prepare(
            "INSERT OR REPLACE INTO commcare_key VALUES (?, ?, ?, ?, ?)")
    }

    private static let schema = """
        CREATE TABLE IF NOT EXISTS commcare_form (
          domain TEXT NOT NULL, number INTEGER NOT NULL, instance_id TEXT NOT NULL,
          fingerprint TEXT NOT NULL, -- by which a form is known when it is sent again
          xmlns TEXT NOT NULL,
          received INTEGER NOT NULL, -- seconds since 1970
          user TEXT, -- identifier of the user who sent it
          token TEXT, -- the sync token that it came with
          body BLOB NOT NULL, -- as sent; empty for what the server did itself
          PRIMARY KEY (domain, number)) STRICT, WITHOUT ROWID;
        CREATE INDEX IF NOT EXISTS commcare_form_token ON commcare_form (token)
          WHERE token IS NOT NULL;
        CREATE TABLE IF NOT EXISTS commcare_attachment (
          domain TEXT NOT NULL, number INTEGER NOT NULL, name TEXT NOT NULL, type TEXT,
          body BLOB NOT NULL, PRIMARY KEY (domain, number, name)) STRICT;
        CREATE TABLE IF NOT EXISTS commcare_case (
          domain TEXT NOT NULL, id TEXT NOT NULL,
          form INTEGER NOT NULL, -- number of the form that changed it last
          state TEXT NOT NULL, -- JSON
          PRIMARY KEY (domain, id)) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS commcare_ledger (
          domain TEXT NOT NULL, entity TEXT NOT NULL, section TEXT NOT NULL, entry TEXT NOT NULL,
          quantity INTEGER NOT NULL,
          form INTEGER NOT NULL, -- number of the form that changed the ledgers of the case last
          date TEXT NOT NULL,
          PRIMARY KEY (domain, entity, section, entry)) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS commcare_key (
          domain TEXT NOT NULL, user TEXT NOT NULL, uuid TEXT NOT NULL,
          key TEXT NOT NULL, -- Base64
          valid INTEGER NOT NULL, -- seconds since 1970
          PRIMARY KEY (domain, user)) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS commcare_refusal (
          domain TEXT NOT NULL, instance_id TEXT NOT NULL, fingerprint TEXT NOT NULL,
          reason TEXT NOT NULL, PRIMARY KEY (domain, instance_id)) STRICT, WITHOUT ROWID;
        CREATE TABLE IF NOT EXISTS commcare_restore (
          id INTEGER PRIMARY KEY, token TEXT NOT NULL UNIQUE, domain TEXT NOT NULL,
          user TEXT NOT NULL, -- identifier of the user who got it
          form INTEGER NOT NULL, -- number of the last form that was in it
          created INTEGER NOT NULL, -- seconds since 1970
          basis TEXT NOT NULL -- JSON: the owners and the cases that the device had then
          ) STRICT;
        """

    /// Writes what happened, all or nothing.
    func write(_ records: [CommCareServer.Record]) throws(StorageFault) {
        try connection.transaction { () throws(StorageFault) in
            for record in records { try write(record) }
        }
    }

    private func write(_ record: CommCareServer.Record) throws(StorageFault) {
        switch record {
        case .form(let form):
            addForm.bind(1, form.domain)
            addForm.bind(2, form.number)
            addForm.bind(3, form.instanceID)
            addForm.bind(4, form.fingerprint.text)
            addForm.bind(5, form.namespace)
            addForm.bind(6, form.received)
            addForm.bind(7, form.user)
            addForm.bind(8, form.token)
            addForm.bind(9, copying: form.bytes, asText: false)
            try addForm.run()
            try add(form.attachments, form.domain, form.number)
        case .attachments(let domain, let number, let files): try add(files, domain, number)
        case .cases(let domain, let cases, let form):
            for state in cases {
                putCase.bind(1, domain)
                putCase.bind(2, state.id)
                putCase.bind(3, form)
                putCase.bind(4, copying: state.json.bytes(), asText: true)
                try putCase.run()
            }
        case .ledgers(let domain, let entity, let mark, let balances):
            for balance in balances {
                putLedger.bind(1, domain)
                putLedger.bind(2, entity)
                putLedger.bind(3, balance.section)
                putLedger.bind(4, balance.entry)
                putLedger.bind(5, balance.quantity)
                putLedger.bind(6, mark.form)
                putLedger.bind(7, mark.date)
                try putLedger.run()
            }
        case .restore(let domain, let log, let basis):
            addRestore.bind(1, log.id)
            addRestore.bind(2, domain)
            addRestore.bind(3, log.user)
            addRestore.bind(4, log.form)
            addRestore.bind(5, log.created)
            addRestore.bind(6, copying: basis, asText: true)
            try addRestore.run()
        case .key(let domain, let user, let key):
            addKey.bind(1, domain)
            addKey.bind(2, user)
            addKey.bind(3, key.uuid)
            addKey.bind(4, key.key)
            addKey.bind(5, key.valid)
            try addKey.run()
        case .forgotten(_, let tokens):
            for token in tokens {
                dropRestore.bind(1, token)
                try dropRestore.run()
            }
        }
    }

    private func add(
        _ files: [CommCareServer.Attachment], _ domain: String, _ number: Int
    ) throws(StorageFault) {
        for file in files {
            addAttachment.bind(1, domain)
            addAttachment.bind(2, number)
            addAttachment.bind(3, file.name)
            addAttachment.bind(4, file.contentType)
            addAttachment.bind(5, copying: file.bytes, asText: false)
            try addAttachment.run()
        }
    }
}
