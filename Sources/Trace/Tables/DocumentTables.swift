package import Dissection
import Wire

/// Documents of OpenRosa in bodies, and their cases.
extension Tables {
    /// `openrosa`.
    package static let document: Table<OpenRosaRow> = Table(
        "openrosa",
        "an OpenRosa document found in a body",
        blank: OpenRosaRow(exchange: ExchangeID(0), sender: .client, part: nil, kind: "", root: ""),
        onConflict: .ignore,
        indexes: [
            TableIndex("openrosa_exchange", on: "openrosa(exchange_id)")
        ],
        [
            .key("16777216 * (2 * exchange_id + sender) + part + 1, or + 0 for the body itself") {
                documentNumber($0.exchange, $0.sender, part: $0.part)
            },
            .value("exchange_id", "the exchange", \.exchange, \.exchange),
            .value("sender", "0 client, 1 server", \.sender, \.sender),
            .value("part", "position of the part that holds it", \.part, \.part),
            .value(
                "kind",
                """
                response, restore, form, actionable (the JSON of a 406), form-list, manifest \
                or xml
                """, \.kind, \.kind),
            .value("root", "local name of the root element", \.root, \.root),
            .value("namespace", "namespace of the root element", \.namespace, \.namespace),
            .value("nature", "nature of the message", \.nature, \.nature),
            .value("message", "text of the message; default_response of a 406", \.detail, \.detail),
            .value("key", "translation key of a 406", \.key, \.key),
            .value("items", "items as sent", \.items, \.items),
            .value("done", "done of the progress, as sent", \.done, \.done),
            .value("total", "total of the progress, as sent", \.total, \.total),
            .value("restore_id", "sync token that a restore issues", \.restoreID, \.restoreID),
            .value("instance_id", "instanceID of a form", \.instanceID, \.instanceID),
            .value("cases", "number of case blocks", \.cases, \.cases),
            .value("fixtures", "number of fixtures", \.fixtures, \.fixtures),
            .value("ledgers", "number of ledger balances and transfers", \.ledgers, \.ledgers),
            .value("problem", "what is wrong with it and where", \.problem, \.problem),
            .value(
                "owners",
                """
                owners whose cases belong on the device after a restore, a JSON array: its user \
                and the groups; null where it names no group
                """, \.owners, \.owners),
        ])

    /// `case_block`.
    package static let caseBlock: Table<CaseBlockRow> = Table(
        "case_block",
        """
        a block of a restore or a form about one case; the first \
        \(DissectionLimits().caseBlocks) of a body
        """,
        blank: CaseBlockRow(
            exchange: ExchangeID(0), sender: .client, part: nil, position: 0, caseID: nil,
            action: ""), onConflict: .ignore,
        indexes: [
            TableIndex("case_block_case", on: "case_block(case_id)")
        ],
        [
            .key("16777216 * (2 * exchange_id + sender) + position") {
                share &* bodyNumber($0.exchange, $0.sender) &+ Int64($0.position)
            },
            .made(
                "openrosa_id", "the document it is in, whose row is written when it ends",
                { documentNumber($0.exchange, $0.sender, part: $0.part) },
                read: { $0.part = $1 % share == 0 ? nil : Int($1 % share) - 1 }),
            .value("exchange_id", "the exchange", \.exchange, \.exchange),
            .value("sender", "0 client, 1 server", \.sender, \.sender),
            .value(
                "position", "place among the case blocks of the body, from 0", \.position,
                \.position),
            .value("case_id", "identifier of the case", \.caseID, \.caseID),
            .value(
                "action",
                """
                what it does, joined by spaces in this order: create, update, close, index, \
                attachment; a restore brings a case with create
                """, \.action, \.action),
            .value("case_type", "type that it sets, if any", \.caseType, \.caseType),
            .value("case_name", "name that it sets, if any", \.caseName, \.caseName),
            .value(
                "owner_id",
                "owner that it sets, if any; the user where create names none", \.ownerID, \.ownerID
            ),
            .value("user_id", "user who changed the case", \.userID, \.userID),
            .value(
                "date_modified", "when the case was changed, as sent", \.dateModified,
                \.dateModified),
            .value(
                "indices",
                """
                references to other cases that it sets, a JSON object by name: case_type, \
                relationship, target; null for one that it removes
                """, \.indices, \.indices),
            .value(
                "properties",
                """
                all other properties that it sets, a JSON object of texts by name, those of \
                create before those of update; the first that does not fit \
                \(DissectionLimits.casePropertyBytes) bytes of names and values is left out \
                with all after it
                """, \.properties, \.properties),
        ])
}
