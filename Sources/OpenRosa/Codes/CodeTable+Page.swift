extension CodeTable {
    /// The table as a page of Markdown: the text of `CodeTable.md`.
    public static var page: String {
        var text = """
            # The response codes of CommCare and OpenRosa

            What a code means and what a client must do next, by kind of request. A row with a nature is about responses
            whose message has it; a row about all requests is for those without a separate row. A row that is
            specified is published for CommCare; the others are what servers and clients do, and where those lose
            data, what they should do: [Response codes](../Specification.md#response-codes).
            `CodeTable.advice(status:api:nature:)` is the same as a function.

            ## Kinds of requests

            | kind | `api` |
            |---|---|

            """
        for group in OpenRosaAPI.Group.allCases {
            let apis = OpenRosaAPI.allCases.filter { $0.group == group }
            text +=
                "| \(group.rawValue) | \(apis.map { "`\($0.rawValue)`" }.joined(separator: ", ")) |\n"
        }
        text += """

            ## Actions

            | action | what it is |
            |---|---|

            """
        for action in CodeAdvice.Action.allCases {
            text += "| \(action.rawValue) | \(action.detail) |\n"
        }
        text += """

            ## Codes

            Code 0 means a request that got no response.

            | code | kind | nature | meaning | what a client does | action | specified |
            |---|---|---|---|---|---|---|

            """
        for row in rows {
            text +=
                "| \(row.status) | \(row.group?.rawValue ?? "all") "
                + "| \(row.nature.map { "`\($0)`" } ?? "") | \(row.means) | \(row.next) "
                + "| \(row.action.rawValue) | \(row.isSpecified ? "yes" : "") |\n"
        }
        return text
    }
}
