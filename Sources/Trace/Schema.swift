/// The trace format, as SQL with a comment that gives meaning and unit of every column.
///
/// ``truth`` is append-only. Everything in ``derived`` can be dropped and built again from it by
/// `tapedeck rebuild`. ``statements`` point into the truth by chunk and offset, so they survive
/// that. `at_ns` and the like are nanoseconds since the start of the row's session; `sender` is
/// 0 for the client and 1 for the server.
public enum Schema {
    /// `application_id` of a trace: the letters `TAPE`.
    public static let applicationID: Int32 = 0x5441_5045

    /// Version of the format that this program writes, as `user_version` has it.
    public static let version: Int32 = 8

    /// What the user gets of a trace of an earlier format, which was never released.
    package static func refusal(of version: Int64, _ path: String) -> String {
        "\(path) has format \(version), of a development version that was never released; this program "
            + "reads \(Self.version): make text of it with that version (tapedeck export \(path) FOLDER), "
            + "and import the text with this one"
    }

    /// What makes an empty file a trace.
    static let whole = [truth, derived, statements, views, stateViews, search].joined(
        separator: "\n")

    /// What was seen: never updated.
    public static let truth = """
        CREATE TABLE session(            -- one run of Tapedeck that wrote to this trace
          id              INTEGER PRIMARY KEY,  -- number of the session
          started_unix_ns INTEGER NOT NULL,     -- wall clock at its start, nanoseconds since 1970 UTC
          provenance      TEXT NOT NULL,        -- where the bytes come from: proxy, capture, pcap, har, mitmproxy
          version         TEXT NOT NULL,        -- version of the program that wrote it
          arguments       TEXT NOT NULL,        -- what it was asked to do
          seed            TEXT                  -- seed of all chance in its faults, a number in 0...2^64-1; null without faults
        ) STRICT;
        CREATE TABLE connection(         -- one client connection with everything that happened because of it
          id         INTEGER PRIMARY KEY,  -- number of the connection
          session_id INTEGER NOT NULL REFERENCES session(id),  -- the session
          at_ns      INTEGER NOT NULL,     -- when it was accepted
          listener   TEXT NOT NULL,        -- address the client connected to, HOST:PORT
          client     TEXT NOT NULL,        -- address the client connected from, HOST:PORT
          mode       TEXT NOT NULL,        -- forward: the client uses a proxy; reverse: it takes us for the server; capture: nobody stood between; archive: bytes are made up
          after_chunk_id INTEGER NOT NULL, -- the last chunk written before it, 0 for none
          step       INTEGER NOT NULL      -- order among what came after that chunk, from 1 over all tables
        ) STRICT;
        CREATE TABLE leg(                -- one TCP connection: the client's, or one to a server
          id            INTEGER PRIMARY KEY,  -- number of the leg
          connection_id INTEGER NOT NULL REFERENCES connection(id),  -- the connection
          peer          INTEGER NOT NULL CHECK (peer IN (0, 1)),     -- who is at the other end: 0 client, 1 server
          at_ns         INTEGER NOT NULL,     -- when it was accepted or asked for
          host          TEXT NOT NULL,        -- name or IP address of the other end
          port          INTEGER NOT NULL,     -- TCP port of the other end
          after_chunk_id INTEGER NOT NULL,    -- the last chunk written before it, 0 for none
          step          INTEGER NOT NULL,     -- order among what came after that chunk: from 1 over all tables
          is_tls        INTEGER               -- 1: TLS is to be spoken from the first byte on; null where that was not known
        ) STRICT;
        CREATE INDEX leg_connection ON leg(connection_id);
        CREATE TABLE chunk(              -- bytes as one read delivered them
          id            INTEGER PRIMARY KEY,  -- order of arrival over the whole trace
          connection_id INTEGER NOT NULL,     -- the connection
          leg_id        INTEGER NOT NULL,     -- the leg they came from, or went to where Tapedeck made them
          sender        INTEGER NOT NULL CHECK (sender IN (0, 1)),  -- 0 client, 1 server
          origin        INTEGER NOT NULL CHECK (origin IN (0, 1)),  -- 0 a peer, 1 Tapedeck in its name
          at_ns         INTEGER NOT NULL,     -- when the read returned
          bytes         BLOB NOT NULL         -- as received, after TLS, before any patch
        ) STRICT;
        \(patchTable)
        CREATE TABLE event(              -- what happened that is not bytes
          id             INTEGER PRIMARY KEY,  -- order of happening
          session_id     INTEGER NOT NULL REFERENCES session(id),  -- the session
          connection_id  INTEGER,              -- the connection, if it happened to one
          leg_id         INTEGER,              -- the leg, if it happened to one
          after_chunk_id INTEGER NOT NULL,     -- the last chunk written before it, 0 for none
          step           INTEGER NOT NULL,     -- order among what came after that chunk, from 1 over all tables
          at_ns          INTEGER NOT NULL,     -- when
          kind           TEXT NOT NULL,        -- opened, ended, closed, refused, tls, tls-failed, passthrough, raw, undelivered, joined, warning, session-ended
          says           TEXT NOT NULL         -- the particulars, such as why a leg was closed
        ) STRICT;
        CREATE INDEX event_connection ON event(connection_id);
        \(packetTables)
        """

    /// What finds all that a connection ever had, which only letting go asks for.
    ///
    /// Made when a trace is first recorded with a bound, and kept up from then on. They cost a sixth
    /// of the writer's time: the entries of each connection lie apart from those of all others, so
    /// that every commit writes a page of each index for every connection.
    static let indexesByConnection = """
        CREATE INDEX IF NOT EXISTS chunk_connection ON chunk(connection_id);
        CREATE INDEX IF NOT EXISTS http_exchange_connection ON http_exchange(connection_id);
        CREATE INDEX IF NOT EXISTS message_connection ON message(connection_id);
        """

    /// The index by which the view `fault` finds the exchange of a fault; made with the first fault of
    /// a trace, since it costs as much as the others for every exchange.
    static let indexForFaults = """
        CREATE INDEX IF NOT EXISTS http_exchange_of_connection
          ON http_exchange(connection_id, request_chunk_id, request_offset);
        """

    /// Numbers of what hangs on something of number `n` begin with `n` times this.
    static let share: Int64 = 1 << 24

    /// The patches of a chunk, in order.
    static let patchesOfChunk = """
        SELECT * FROM patch WHERE id >= \(share) * ?1 AND id < \(share) * (?1 + 1) ORDER BY id
        """

    /// Deletes the patches of those chunks that `condition` chooses.
    static func deletePatches(of condition: String) -> String {
        """
        DELETE FROM patch WHERE id IN (
          SELECT p.id FROM chunk CROSS JOIN patch p
          WHERE p.id >= \(share) * chunk.id AND p.id < \(share) * (chunk.id + 1) AND \(condition))
        """
    }

    static let patchTable = """
        CREATE TABLE patch(              -- where forwarded bytes differ from received ones
          id        INTEGER PRIMARY KEY,  -- 16777216 * chunk_id + place among the patches of the chunk, from 0
          chunk_id  INTEGER NOT NULL REFERENCES chunk(id),  -- the chunk
          "offset"  INTEGER NOT NULL,     -- first byte taken out, bytes from the start of the chunk
          removed   INTEGER NOT NULL,     -- number of bytes taken out
          inserted  BLOB NOT NULL,        -- the bytes put in their place
          reason    TEXT NOT NULL         -- request-target, host, origin, location, hop-by-hop, fault or undelivered
        ) STRICT;
        """

    /// What a capture kept for other tools; nothing is decoded from it.
    static let packetTables = """
        CREATE TABLE packet(             -- a packet kept as it was captured, on request; nothing here is made of it, and letting go leaves no gap row for it
          id            INTEGER PRIMARY KEY,  -- order of capture
          session_id    INTEGER NOT NULL REFERENCES session(id),  -- the session
          at_unix_ns    INTEGER NOT NULL,     -- when it was captured, nanoseconds since 1970 UTC
          link_type     INTEGER NOT NULL,     -- what its bytes begin with: number of a LINKTYPE_ of libpcap
          original_size INTEGER NOT NULL,     -- bytes that it had on the wire
          after_chunk_id INTEGER NOT NULL,    -- the last chunk written before it, 0 for none
          step          INTEGER NOT NULL,     -- order among what came after that chunk, from 1 over all tables
          bytes         BLOB NOT NULL         -- the bytes that were captured
        ) STRICT;
        CREATE TABLE secret(             -- what decrypts packets that are kept
          id            INTEGER PRIMARY KEY,  -- order of writing
          session_id    INTEGER NOT NULL REFERENCES session(id),  -- the session
          key_log       BLOB NOT NULL,        -- lines of an NSS key log
          after_chunk_id INTEGER NOT NULL,    -- the last chunk written before it, 0 for none
          step          INTEGER NOT NULL      -- order among what came after that chunk, from 1 over all tables
        ) STRICT;
        """

    static let faultTables = """
        CREATE TABLE fault_statement(    -- something done to the traffic on purpose; the view fault adds derived rows
          id            INTEGER PRIMARY KEY,  -- number of the fault
          session_id    INTEGER NOT NULL,     -- the session
          at_ns         INTEGER NOT NULL,     -- when
          rule          TEXT NOT NULL,        -- name of the rule that asked for it
          action        TEXT NOT NULL,        -- what was done, as plans write it
          connection_id INTEGER,              -- the connection it was done to
          sender        INTEGER,              -- whose bytes it was done to: 0 client, 1 server; null where to none
          scope         TEXT NOT NULL,        -- what the rule counts by: a connection, client or key; empty for everything together
          occurrence    INTEGER NOT NULL,     -- the how many-th event of that scope the filter of the rule held for, from 1
          draw          TEXT NOT NULL,        -- what its chance was drawn from, a number in 0...2^64-1
          came          BLOB NOT NULL,        -- what came from the peer, decoded where it is a message; at most 64 KiB
          sent          BLOB NOT NULL,        -- what was sent instead; at most 64 KiB
          chunk_id      INTEGER,              -- chunk that begins with what it was done to, or the last one before it; null without any
          "offset"      INTEGER NOT NULL      -- its offset in that chunk
        ) STRICT;
        CREATE INDEX fault_statement_connection ON fault_statement(connection_id, chunk_id);
        CREATE TABLE fault_verdict(      -- whether the client recovered from a fault
          fault_id    INTEGER PRIMARY KEY,  -- the fault
          verdict     TEXT NOT NULL,        -- recovered, not-recovered, or open: the session ran on and nothing was seen yet
          how         TEXT NOT NULL,        -- what shows it, in words
          exchange_id INTEGER,              -- the exchange that shows it
          command_id  INTEGER,              -- the command that shows it
          after_ns    INTEGER,              -- how long after the fault
          tries       INTEGER NOT NULL      -- how many times the client tried until then
        ) STRICT;
        """

    /// What was stated about the session.
    public static let statements = """
        \(faultTables)
        CREATE TABLE finding_statement(  -- a broken rule; the view finding adds derived rows
          id       INTEGER PRIMARY KEY,  -- number of the finding
          session_id INTEGER NOT NULL,   -- the session
          at_ns    INTEGER NOT NULL,     -- when
          rule     TEXT NOT NULL,        -- identifier of the rule
          severity TEXT NOT NULL,        -- error, warning or info
          chunk_id INTEGER,              -- chunk that holds the evidence
          "offset" INTEGER NOT NULL,     -- its offset in that chunk
          says     TEXT NOT NULL,        -- what is wrong
          expected TEXT NOT NULL         -- what should have been sent
        ) STRICT;
        CREATE TABLE gap(                -- bytes known to be missing
          id            INTEGER PRIMARY KEY,  -- order of writing
          session_id    INTEGER NOT NULL,     -- the session
          connection_id INTEGER,              -- the connection, if one
          leg_id        INTEGER,              -- the leg, if one
          sender        INTEGER,              -- who sent them; null for both
          after_chunk_id INTEGER NOT NULL,    -- the last chunk before them, 0 for none
          step          INTEGER NOT NULL,     -- order among what came after that chunk, from 1 over all tables; 0 for what was let go later
          at_ns         INTEGER NOT NULL,     -- when the first of them arrived
          until_ns      INTEGER NOT NULL,     -- when the last of them arrived
          bytes         INTEGER NOT NULL,     -- how many bytes; 0 where nobody knows: nothing can be written since at_ns, or the program was killed then
          chunks        INTEGER NOT NULL,     -- how many chunks
          reason        TEXT NOT NULL         -- disk-full, let-go, not-captured, sealed (encrypted and not read), locked (another program held the trace) or trace-lost (the file was deleted, replaced or truncated; this one goes on where it ended)
        ) STRICT;
        CREATE INDEX gap_connection ON gap(connection_id);
        CREATE TABLE mark(               -- a moment that somebody gave a name
          id    INTEGER PRIMARY KEY,  -- order of writing
          session_id INTEGER NOT NULL,  -- the session
          at_ns INTEGER NOT NULL,     -- when
          name  TEXT NOT NULL         -- the name
        ) STRICT;
        CREATE TABLE progress(           -- how far slow work behind the commits has come
          name TEXT PRIMARY KEY,      -- body: full-text search of bodies; message: of messages; forgotten: bytes of text let go whose words search still has
          upto INTEGER NOT NULL       -- last id that is done, apart from those in late; a size for forgotten
        ) STRICT;
        CREATE TABLE late(               -- rows that came when progress had passed their id; they are done next
          id INTEGER PRIMARY KEY      -- rowid they will have in search
        ) STRICT;
        CREATE TABLE counter(            -- numbers to be given out next, so that none is given out twice
          name TEXT PRIMARY KEY,      -- the table
          next INTEGER NOT NULL       -- next free id
        ) STRICT;
        """
}
