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
    public static let version: Int32 = 6

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
          step          INTEGER NOT NULL      -- order among what came after that chunk, from 1 over all tables
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
          kind           TEXT NOT NULL,        -- opened, ended, closed, refused, tls, tls-failed, passthrough, raw, joined, warning, session-ended
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
          reason    TEXT NOT NULL         -- request-target, host, origin, location, hop-by-hop or fault
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

    static let bodyTable = """
        CREATE TABLE http_body(          -- head and content of one side of an exchange; the view body adds what stands in a chunk
          id           INTEGER PRIMARY KEY,  -- 2 * exchange_id + sender
          exchange_id  INTEGER NOT NULL,     -- the exchange
          sender       INTEGER NOT NULL,     -- 0 client, 1 server
          chunk_id     INTEGER,              -- the chunk in which the head stands as it was received; null where head is here
          head_offset  INTEGER,              -- first byte of the head in that chunk
          head_size    INTEGER NOT NULL,     -- bytes of the head
          head         BLOB,                 -- start line and fields as the receiver got them; null where they stand in the chunk
          trailers     BLOB,                 -- trailer fields
          content_offset INTEGER,            -- first byte of the content in that chunk; null where content is here
          content      ANY,                  -- content after transfer and content coding; the first bytes of a large one; null where it stands in the chunk
          is_text      INTEGER NOT NULL,     -- 1 where the content is UTF-8
          size         INTEGER NOT NULL,     -- bytes of the whole content after transfer and content coding
          wire_size    INTEGER NOT NULL,     -- bytes of the content on the wire, without transfer coding
          coding       TEXT NOT NULL,        -- content codings that were undone
          content_type TEXT,                 -- Content-Type as sent
          problem      TEXT                  -- why the content could not be decoded, with the offset
        ) STRICT;
        """

    /// What decoding makes of the truth: dropped and built again by `tapedeck rebuild`.
    public static let derived = """
        CREATE TABLE http_exchange(      -- one HTTP request and its response; bodies are in http_body
          id               INTEGER PRIMARY KEY,  -- number of the exchange, in order of the first byte of the request
          session_id       INTEGER NOT NULL,     -- the session
          connection_id    INTEGER NOT NULL,     -- the connection
          server_leg_id    INTEGER,              -- the leg the response came from
          api              TEXT NOT NULL,        -- what it is for: commcare.submit, commcare.restore, simperium.socket, http ...
          method           TEXT NOT NULL,        -- request method as sent
          scheme           TEXT NOT NULL,        -- http or https
          host             TEXT NOT NULL,        -- host without port, lower case
          port             INTEGER NOT NULL,     -- TCP port
          path             TEXT NOT NULL,        -- path without query, as sent
          query            TEXT,                 -- query without the question mark
          version          TEXT NOT NULL,        -- HTTP version of the request line
          status           INTEGER,              -- status of the final response
          reason           TEXT,                 -- reason phrase of the final response
          started_ns       INTEGER NOT NULL,     -- first byte of the request
          request_ended_ns INTEGER,              -- last byte of the request
          responded_ns     INTEGER,              -- first byte of the final response
          ended_ns         INTEGER,              -- last byte of the response, or when its lack was certain
          request_size     INTEGER NOT NULL,     -- bytes of request content on the wire, without transfer coding
          response_size    INTEGER NOT NULL,     -- bytes of response content on the wire, without transfer coding
          outcome          TEXT NOT NULL,        -- open, complete, request-cut, response-cut, no-response
          problem          TEXT,                 -- why it is not complete
          retry_after      TEXT,                 -- Retry-After of the response, as sent
          device           TEXT,                 -- device id the client gave
          is_local         INTEGER NOT NULL,     -- 1 where Tapedeck made the response
          request_chunk_id INTEGER NOT NULL,     -- chunk with the first byte of the request
          request_offset   INTEGER NOT NULL,     -- its offset in what the receiver got of that chunk
          response_chunk_id INTEGER,             -- chunk with the first byte of the final response
          response_offset  INTEGER               -- its offset in what the receiver got of that chunk
        ) STRICT;
        CREATE INDEX http_exchange_request_chunk ON http_exchange(request_chunk_id);
        CREATE INDEX http_exchange_open ON http_exchange(id) WHERE outcome = 'open';
        \(bodyTable)
        CREATE TABLE part(               -- one part of a multipart body
          id           INTEGER PRIMARY KEY,  -- 16777216 * (2 * exchange_id + sender) + position
          exchange_id  INTEGER NOT NULL,     -- the exchange
          sender       INTEGER NOT NULL,     -- 0 client, 1 server
          position     INTEGER NOT NULL,     -- place among the parts, from 0
          name         TEXT,                 -- name of the content disposition
          filename     TEXT,                 -- filename of the content disposition
          content_type TEXT,                 -- Content-Type of the part
          size         INTEGER NOT NULL,     -- bytes of the content of the part
          "offset"     INTEGER NOT NULL      -- first byte of that content in the decoded body
        ) STRICT;
        CREATE INDEX part_exchange ON part(exchange_id);
        CREATE TABLE openrosa(           -- an OpenRosa document found in a body
          id          INTEGER PRIMARY KEY,  -- 16777216 * (2 * exchange_id + sender) + part + 1, or + 0 for the body itself
          exchange_id INTEGER NOT NULL,     -- the exchange
          sender      INTEGER NOT NULL,     -- 0 client, 1 server
          part        INTEGER,              -- position of the part that holds it
          kind        TEXT NOT NULL,        -- response, restore, form, actionable (the JSON of a 406), form-list, manifest or xml
          root        TEXT NOT NULL,        -- local name of the root element
          namespace   TEXT,                 -- namespace of the root element
          nature      TEXT,                 -- nature of the message
          says        TEXT,                 -- text of the message; default_response of a 406
          key         TEXT,                 -- translation key of a 406
          items       TEXT,                 -- items as sent
          done        TEXT,                 -- done of the progress, as sent
          total       TEXT,                 -- total of the progress, as sent
          restore_id  TEXT,                 -- sync token that a restore gives out
          instance_id TEXT,                 -- instanceID of a form
          cases       INTEGER NOT NULL,     -- number of case blocks
          fixtures    INTEGER NOT NULL,     -- number of fixtures
          ledgers     INTEGER NOT NULL,     -- number of ledger balances and transfers
          problem     TEXT                  -- what is wrong with it and where
        ) STRICT;
        CREATE INDEX openrosa_exchange ON openrosa(exchange_id);
        \(caseBlockTable)
        CREATE TABLE frame(              -- a WebSocket frame as on the wire
          id            INTEGER PRIMARY KEY,  -- 16777216 * message_id + position
          message_id    INTEGER NOT NULL,     -- the message it belongs to
          connection_id INTEGER NOT NULL,     -- the connection
          sender        INTEGER NOT NULL,     -- 0 client, 1 server
          at_ns         INTEGER NOT NULL,     -- when its first byte arrived
          position      INTEGER NOT NULL,     -- place among the frames of its message, from 0
          fin           INTEGER NOT NULL,     -- 1 for the last frame of a message
          rsv           INTEGER NOT NULL,     -- reserved bits; 4 (RSV1) marks compression
          opcode        INTEGER NOT NULL,     -- 0 continuation, 1 text, 2 binary, 8 close, 9 ping, 10 pong
          mask          INTEGER,              -- masking key, big-endian; null where not masked
          header_size   INTEGER NOT NULL,     -- bytes of header and masking key
          payload_size  INTEGER NOT NULL,     -- bytes of payload
          chunk_id      INTEGER NOT NULL,     -- chunk with the first byte of the header
          "offset"      INTEGER NOT NULL      -- its offset in what the receiver got of that chunk
        ) STRICT;
        CREATE TABLE message(            -- a WebSocket message as assembled from frames
          id            INTEGER PRIMARY KEY,  -- number of the message, in order of its last byte
          session_id    INTEGER NOT NULL,     -- the session
          connection_id INTEGER NOT NULL,     -- the connection
          exchange_id   INTEGER NOT NULL,     -- the exchange that opened the WebSocket
          sender        INTEGER NOT NULL,     -- 0 client, 1 server
          at_ns         INTEGER NOT NULL,     -- when its first byte arrived
          ended_ns      INTEGER NOT NULL,     -- when its last byte arrived
          opcode        INTEGER NOT NULL,     -- 1 text, 2 binary, 8 close, 9 ping, 10 pong
          payload       ANY,                  -- unmasked and inflated: text if UTF-8, else blob; the first bytes of a large one
          size          INTEGER NOT NULL,     -- bytes of the whole payload, unmasked and inflated
          wire_size     INTEGER NOT NULL,     -- bytes of the payloads of its frames
          compressed    INTEGER NOT NULL,     -- 1 where permessage-deflate compressed it
          frames        INTEGER NOT NULL,     -- number of its frames
          close_code    INTEGER,              -- code of a close message
          problem       TEXT,                 -- what is wrong with it
          chunk_id      INTEGER NOT NULL,     -- chunk with the first byte of its first frame
          "offset"      INTEGER NOT NULL      -- its offset in what the receiver got of that chunk
        ) STRICT;
        CREATE INDEX message_chunk ON message(chunk_id);
        CREATE TABLE simperium_command(  -- one Simperium command; the view command adds its payload
          id             INTEGER PRIMARY KEY,  -- number of the command
          session_id     INTEGER NOT NULL,     -- the session
          message_id     INTEGER NOT NULL,     -- the message it came in
          connection_id  INTEGER NOT NULL,     -- the connection
          position       INTEGER NOT NULL,     -- place among the commands of the message; above 0 only in SockJS frames
          sender         INTEGER NOT NULL,     -- 0 client, 1 server
          at_ns          INTEGER NOT NULL,     -- when the last byte of its message arrived
          channel        INTEGER,              -- channel; null for commands of the connection
          name           TEXT NOT NULL,        -- init, auth, i, e, cv, c, o, h, index, log, ?, or as sent
          bucket         TEXT,                 -- bucket the channel was opened for, if that was seen
          app            TEXT,                 -- application of the socket
          text           TEXT,                 -- the whole command; null where it is the payload of the message
          payload_offset INTEGER NOT NULL,     -- bytes from the start of the command to its payload
          payload_size   INTEGER NOT NULL,     -- bytes of its payload
          key            TEXT,                 -- key of the object, for e and for a c with one change
          cv             TEXT,                 -- change version it states
          error          INTEGER,              -- error code of an auth or of the first change with one
          problem        TEXT                  -- what is wrong with it and where
        ) STRICT;
        CREATE INDEX simperium_command_message ON simperium_command(message_id);
        CREATE TABLE change(             -- one change of a c command
          id         INTEGER PRIMARY KEY,  -- 16777216 * command_id + position
          command_id INTEGER NOT NULL,     -- the command
          position   INTEGER NOT NULL,     -- place among the changes of the command, from 0
          bucket     TEXT,                 -- the bucket
          key        TEXT,                 -- key of the object
          o          TEXT,                 -- operation: M modify, - remove, EMPTY, or as sent
          sv         INTEGER,              -- source version
          ev         INTEGER,              -- end version
          cv         TEXT,                 -- change version
          ccid       TEXT,                 -- ccid, or ccids joined by spaces
          clientid   TEXT,                 -- client that made the change
          error      INTEGER,              -- error code
          "offset"   INTEGER NOT NULL,     -- bytes from the start of the command to the change
          size       INTEGER NOT NULL      -- bytes of the change
        ) STRICT;
        CREATE INDEX change_key ON change(key);
        CREATE TABLE note(               -- something worth knowing about the bytes
          id            INTEGER PRIMARY KEY,  -- order of writing
          session_id    INTEGER NOT NULL,     -- the session
          connection_id INTEGER NOT NULL,     -- the connection
          exchange_id   INTEGER,              -- the exchange it is about
          message_id    INTEGER,              -- the message it is about
          sender        INTEGER NOT NULL,     -- who sent the bytes
          at_ns         INTEGER NOT NULL,     -- when they arrived
          chunk_id      INTEGER NOT NULL,     -- chunk with the first of the bytes
          "offset"      INTEGER NOT NULL,     -- its offset in what the receiver got of that chunk
          code          TEXT NOT NULL,        -- stable name, such as http.two-lengths
          says          TEXT NOT NULL         -- the same for people
        ) STRICT;
        CREATE INDEX note_exchange ON note(exchange_id);
        CREATE INDEX note_connection ON note(connection_id);
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
          bytes         INTEGER NOT NULL,     -- how many bytes
          chunks        INTEGER NOT NULL,     -- how many chunks
          reason        TEXT NOT NULL         -- disk-full, let-go, not-captured or sealed (encrypted and not read)
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
