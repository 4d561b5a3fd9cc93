import Foundation
import Framing
import OpenRosa
import Simperium
import Testing

@testable import Dissection

@Suite struct NoteDocumentationTests {
    @Test func `documents every note and none besides`() throws {
        let page = try String(
            contentsOf: URL(fileURLWithPath: #filePath).deletingLastPathComponent()
                .appendingPathComponent("../../Sources/Dissection/Notes.md"), encoding: .utf8)
        let documented = page.matches(of: #/^\| `([a-z][a-z0-9.-]+)` \|/#.anchorsMatchLineEndings())
            .map { String($0.output.1) }
        let codes =
            HTTPNote.allCases.map(\.rawValue) + WebSocketNote.allCases.map(\.rawValue)
            + SimperiumNote.Code.allCases.map(\.rawValue) + OpenRosaNote.codes.map(\.code)
            + ConversationNote.allCases.map(\.rawValue)
        #expect(documented.sorted() == codes.sorted())
        #expect(Set(codes).count == codes.count)
    }
}
