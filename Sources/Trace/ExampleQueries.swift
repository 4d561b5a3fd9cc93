/// Questions that are asked of a trace often, with the SQL that answers them.
enum ExampleQueries {
    /// A question and its answer.
    struct Example: Hashable {
        var question: String
        var sql: String
    }

    /// The examples, as the documentation shows them.
    static let all = [
        Example(
            question: "Which requests took longest?",
            sql: """
                SELECT time, method, url, status, duration_ns / 1000000 AS ms
                FROM exchange ORDER BY duration_ns DESC LIMIT 10;
                """),
        Example(
            question: "Which paths fail, with which status?",
            sql: """
                SELECT host, path, status, count(*) AS times, min(time) AS first, max(time) AS last
                FROM exchange WHERE status >= 400 OR status IS NULL
                GROUP BY host, path, status ORDER BY times DESC;
                """),
        Example(
            question: "What happened around a line of another log?",
            sql: """
                SELECT time, method, url, status FROM exchange
                WHERE time BETWEEN '2026-01-01T12:00:00' AND '2036-01-01T12:00:00' ORDER BY time;
                """),
        Example(
            question: "How much does each device send and receive?",
            sql: """
                SELECT device, count(*) AS exchanges, sum(request_size) AS sent,
                  sum(response_size) AS received
                FROM exchange GROUP BY device ORDER BY received DESC;
                """),
        Example(
            question: "Which programs are the clients?",
            sql: """
                SELECT value AS user_agent, count(*) AS requests FROM header
                WHERE name = 'user-agent' AND sender = 0 GROUP BY value ORDER BY requests DESC;
                """),
        Example(
            question: "Which exchanges have these words in a body?",
            sql: """
                SELECT DISTINCT x.id, x.time, x.method, x.url
                FROM search JOIN body b ON b.id = search.rowid / 2 JOIN exchange x ON x.id = b.exchange_id
                WHERE search MATCH 'submit OR restore' AND search.rowid % 2 = 0;
                """),
        Example(
            question: "How long does a client wait before it asks the same again?",
            sql: """
                SELECT time, method, path, status,
                  (started_ns - lag(ended_ns) OVER same) / 1000000 AS ms_after_answer
                FROM exchange
                WINDOW same AS (PARTITION BY session_id, device, method, host, path ORDER BY started_ns)
                ORDER BY time;
                """),
        Example(
            question: "Which changes of Simperium objects were refused?",
            sql: """
                SELECT c.time, c.bucket, h.key, h.error, h.ccid
                FROM change h JOIN command c ON c.id = h.command_id
                WHERE h.error IS NOT NULL ORDER BY c.time;
                """),
        Example(
            question: "What does each WebSocket carry?",
            sql: """
                SELECT x.url, m.sender, count(*) AS messages, sum(m.size) AS bytes
                FROM message m JOIN exchange x ON x.id = m.exchange_id GROUP BY x.id, m.sender;
                """),
        Example(
            question: "Which rules were broken, by which device, how often?",
            sql: """
                SELECT rule, severity, device, count(*) AS times, min(time) AS first
                FROM finding GROUP BY rule, severity, device ORDER BY times DESC;
                """),
        Example(
            question: "Which faults did a client not recover from?",
            sql: """
                SELECT f.rule, f.action, x.time, x.url, f.how
                FROM fault f LEFT JOIN exchange x ON x.id = f.exchange_id
                WHERE f.verdict = 'not-recovered';
                """),
    ]
}
