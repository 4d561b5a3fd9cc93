import Diagnosis
import Testing
import Wire

@Suite struct FindingNumberTests {
    @Test(arguments: [("f1", 1, 1), ("f12", 1, 12), ("f2.12", 2, 12), ("f10.1", 10, 1)])
    func `reads what it writes`(text: String, session: Int64, place: Int) {
        let number = FindingNumber(session: SessionID(session), place: place)
        #expect(number.description == text)
        #expect(FindingNumber(text) == number)
    }

    @Test(arguments: [("u1", 1, 1), ("u3.2", 3, 2)])
    func `numbers what could not be decided`(text: String, session: Int64, place: Int) {
        let number = FindingNumber(.undecided, session: SessionID(session), place: place)
        #expect(number.description == text)
        #expect(FindingNumber(text) == number)
        #expect(number != FindingNumber(session: SessionID(session), place: place))
    }

    @Test(arguments: [
        "", "u", "u0", "x1", "f", "12", "c12", "f0", "f-1", "f+1", "f1.", "f.1", "f0.1", "f1.0",
        "f1.2.3", "f 1",
        "f1 ", "F1", "f½", "f99999999999999999999",
    ])
    func `is nothing else`(text: String) {
        #expect(FindingNumber(text) == nil)
    }

    @Test func `names the first session without its number`() {
        #expect(FindingNumber("f1.3")?.description == "f3")
    }
}
