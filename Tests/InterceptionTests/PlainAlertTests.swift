import Testing

@testable import Interception

@Suite struct PlainAlertTests {
    private let hello: [UInt8] = [22, 3, 1, 0, 3, 1, 2, 3]
    private let alert: [UInt8] = [21, 3, 3, 0, 2, 2, 48]
    private let encrypted: [UInt8] = [23, 3, 3, 0, 19] + [UInt8](repeating: 9, count: 19)

    private func code(_ bytes: [UInt8], pieces: Int) -> UInt8? {
        var seen = PlainAlert()
        var rest = bytes[...]
        while !rest.isEmpty {
            seen.consume(Array(rest.prefix(pieces)).span)
            rest = rest.dropFirst(pieces)
        }
        return seen.code
    }

    @Test(arguments: [1, 2, 3, 5, 100]) func `finds an alert however it is cut`(pieces: Int) {
        #expect(code(hello + alert, pieces: pieces) == 48)
        #expect(code(hello + [20, 3, 3, 0, 1, 1] + alert, pieces: pieces) == 48)
    }

    @Test(arguments: [1, 7, 100]) func `takes nothing else for one`(pieces: Int) {
        #expect(code(hello + encrypted + hello, pieces: pieces) == nil)
        #expect(code([21, 3, 3, 0, 26] + [UInt8](repeating: 2, count: 26), pieces: pieces) == nil)
        #expect(code([22, 3, 3, 0, 0] + hello, pieces: pieces) == nil)
        #expect(code(Array(alert.dropLast()), pieces: pieces) == nil)
    }
}
