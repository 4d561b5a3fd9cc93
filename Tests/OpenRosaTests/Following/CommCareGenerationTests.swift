import Notation
import Testing

@testable import OpenRosa

/// Case blocks written from values, and read back.
@Suite struct CommCareGenerationTests {
    private static let words = [
        "a", "é è", "日本", "😀👩‍👩‍👧", "x & y", "<b>", "\"q\" 'p'", "Ж", "1\n2", "مرحبا", "", "]]>", "🇫🇷",
    ]

    private static func word(_ random: inout SplitMix64) -> String {
        words[Int(random.next() % UInt64(words.count))]
    }

    private static func maybe(_ random: inout SplitMix64) -> String? {
        random.next() % 3 == 0 ? nil : word(&random)
    }

    private static func properties(_ random: inout SplitMix64) -> [CaseBlock.Property] {
        (0..<Int(random.next() % 10)).map { _ in
            CaseBlock.Property("p_\(random.next() % 6)", word(&random))
        }
    }

    private static func block(_ random: inout SplitMix64) -> CaseBlock {
        var block = CaseBlock(
            caseID: "c-\(random.next() % 1000)é", dateModified: maybe(&random),
            userID: maybe(&random))
        if random.next() % 2 == 0 {
            block.create = .init(
                caseType: maybe(&random), caseName: maybe(&random), ownerID: maybe(&random),
                externalID: maybe(&random), others: properties(&random))
        }
        if random.next() % 4 != 0 { block.update = properties(&random) }
        for name in ["case_type", "case_name", "owner_id"] where random.next() % 6 == 0 {
            block.update?.append(CaseBlock.Property(name, word(&random)))
        }
        block.isClosed = random.next() % 4 == 0
        block.indices = (0..<Int(random.next() % 3)).map {
            CaseBlock.Index(
                name: "i\($0)", caseType: maybe(&random), relationship: maybe(&random),
                target: word(&random))
        }
        block.attachments = (0..<Int(random.next() % 3)).map {
            CaseBlock.Attachment(name: "f\($0)", src: maybe(&random), from: maybe(&random))
        }
        return block
    }

    private static func escaped(_ text: String, _ random: inout SplitMix64) -> String {
        var result = ""
        for scalar in text.unicodeScalars {
            if "&<>\"'\n".unicodeScalars.contains(scalar) || random.next() % 8 == 0 {
                result += "&#x\(String(scalar.value, radix: 16));"
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }

    private static func attribute(
        _ name: String, _ value: String?, _ random: inout SplitMix64
    ) -> String {
        value.map { " \(name)=\"\(escaped($0, &random))\"" } ?? ""
    }

    private static func element(
        _ name: String, _ value: String?, _ random: inout SplitMix64, attributes: String = ""
    ) -> String {
        guard let value else { return "" }
        if value.isEmpty, random.next() % 2 == 0 { return "<\(name)\(attributes)/>" }
        if !value.contains("]]>"), random.next() % 4 == 0 {
            return "<\(name)\(attributes)><![CDATA[\(value)]]></\(name)>"
        }
        return "<\(name)\(attributes)>\(escaped(value, &random))</\(name)>"
    }

    private static func text(_ block: CaseBlock, _ random: inout SplitMix64) -> String {
        var text = "<c:case xmlns:c=\"http://commcarehq.org/case/transaction/v2\""
        text += attribute("case_id", block.caseID, &random)
        text += attribute("date_modified", block.dateModified, &random)
        text += attribute("user_id", block.userID, &random) + ">"
        if let create = block.create {
            text += "<c:create>"
            text += element("c:case_type", create.caseType, &random)
            text += element("c:case_name", create.caseName, &random)
            text += element("c:owner_id", create.ownerID, &random)
            text += element("external_id", create.externalID, &random)
            for property in create.others {
                text += element(property.name, property.value, &random)
            }
            text += "</c:create>"
        }
        if let update = block.update {
            text += "<update>"
            for property in update { text += element(property.name, property.value, &random) }
            text += "</update>"
        }
        if block.isClosed { text += "<c:close/>" }
        if !block.indices.isEmpty {
            text += "<index>"
            for index in block.indices {
                let attributes =
                    attribute("case_type", index.caseType, &random)
                    + attribute("relationship", index.relationship, &random)
                text += element(index.name, index.target, &random, attributes: attributes)
            }
            text += "</index>"
        }
        if !block.attachments.isEmpty {
            text += "<attachment>"
            for file in block.attachments {
                text +=
                    "<\(file.name)\(attribute("src", file.src, &random))\(attribute("from", file.from, &random))/>"
            }
            text += "</attachment>"
        }
        return text + "</c:case>"
    }

    @Test func `2,000 restores and forms give the values they were written from`() {
        for seed in 0..<2000 {
            var random = SplitMix64(seed: UInt64(seed))
            var blocks: [CaseBlock] = []
            var payload = ""
            for _ in 0..<(1 + random.next() % 4) {
                let block = Self.block(&random)
                blocks.append(block)
                payload += Self.text(block, &random)
            }
            let text = seed % 2 == 0 ? restore(payload) : form("<g>\(payload)</g>")
            let bytes = Array(text.utf8)
            let reading = Reading(cut(bytes, &random))
            #expect(reading.error == nil, "seed \(seed)")
            let found = reading.blocks.map {
                var block = $0
                block.position = .start
                return block
            }
            #expect(found == blocks, "seed \(seed)")
            #expect(Reading([bytes]) == reading, "seed \(seed)")
            let reader = OpenRosaReader(caseBlocks: blocks.count)
            var outlines: [CaseOutline] = []
            for piece in cut(bytes, &random) {
                reader.feed(piece.span)
                outlines += reader.takeCases()
            }
            let outline = reader.finish()
            #expect(outlines == blocks.map(CaseOutline.init(expectedOf:)), "seed \(seed)")
            #expect(outline.cases.blocks == blocks.count)
            #expect(Set(reading.codes) == Set(outline.notes.map(\.code)), "seed \(seed)")
            #expect(outline.kind == reading.end?.kind)
        }
    }
}

extension CaseOutline {
    /// What a block of version 2 does, read off the whole of it.
    fileprivate init(expectedOf block: CaseBlock) {
        func updated(_ name: String) -> String? { block.update?.last { $0.name == name }?.value }
        self.init()
        caseID = block.caseID
        creates = block.create != nil
        updates = block.update != nil
        closes = block.isClosed
        hasAttachments = !block.attachments.isEmpty
        caseType = updated("case_type") ?? block.create?.caseType
        caseName = updated("case_name") ?? block.create?.caseName
        ownerID = updated("owner_id") ?? block.create.flatMap { $0.ownerID ?? block.userID }
        userID = block.userID
        dateModified = block.dateModified
        indices = block.indices
        let named: Set = ["case_type", "case_name", "owner_id"]
        properties =
            (block.create?.externalID).map { [CaseBlock.Property("external_id", $0)] } ?? []
        properties += block.create?.others ?? []
        properties += block.update?.filter { !named.contains($0.name) } ?? []
    }
}
