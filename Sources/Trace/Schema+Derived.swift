/// What decoding makes of the truth.
extension Schema {
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
          method           TEXT NOT NULL,        -- request method as sent; ? where the request line cannot be read
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
          response_offset  INTEGER,              -- its offset in what the receiver got of that chunk
          user             TEXT                  -- user that it asks as: as of the query, or the name of Basic credentials
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
          problem     TEXT,                 -- what is wrong with it and where
          owners      TEXT                  -- whose cases belong on the device after a restore, a JSON array: its user and the groups; null where it names no group
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
}
