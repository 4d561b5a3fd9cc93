import Testing
import Wire

@testable import Replaying

struct LostCommandsTests {
    private static let opening = #"0:init:{"app_id":"a","name":"b"}"#
    private static let change = #"0:c:{"id":"k","o":"M","v":{},"ccid":"mine"}"#
    private static let made = #"0:c:[{"id":"k","o":"M","v":{},"ev":1,"cv":"1","ccids":["mine"]}]"#

    /// The numbers of the lost commands.
    private static func lost(_ lines: (Int, Peer, String)...) -> [Int64] {
        var session = PlannedSession()
        for (socket, sender, text) in lines { session.say(socket, sender, text) }
        return LostCommands.find(in: session.commands) { session.texts[$0] }.map(\.rawValue)
            .sorted()
    }

    @Test func `a change that is taken only when it is sent again was lost, and what follows it`() {
        let lost = Self.lost(
            (1, .client, Self.opening), (1, .server, "0:auth:ann"), (1, .client, Self.change),
            (1, .client, "0:e:k.1"), (2, .client, Self.opening), (2, .server, "0:auth:ann"),
            (2, .client, Self.change), (2, .server, Self.made))
        #expect(lost == [3, 4])
    }

    @Test func `what nobody answered before a lost change was lost with it`() {
        let lost = Self.lost(
            (1, .client, Self.opening), (1, .server, "0:auth:ann"), (1, .client, "0:cv:old"),
            (1, .client, Self.change), (2, .client, Self.opening), (2, .server, "0:auth:ann"),
            (2, .client, Self.change), (2, .server, Self.made))
        #expect(lost == [3, 4])
    }

    @Test(arguments: [(1, [Int64]()), (0, [3])])
    func `a change of which nobody was told was made where its version is shown`(
        version: Int, expected: [Int64]
    ) {
        let page = #"0:i:{"index":[{"id":"k","v":\#(version)}],"current":"1"}"#
        let lost = Self.lost(
            (1, .client, Self.opening), (1, .server, "0:auth:ann"), (1, .client, Self.change),
            (2, .client, Self.opening), (2, .server, "0:auth:ann"), (2, .client, "0:i::::10"),
            (2, .server, page))
        #expect(lost == expected)
    }

    @Test func `a version that another change led to shows nothing`() {
        let other = #"0:c:[{"id":"k","o":"M","v":{},"ev":1,"cv":"1","ccids":["other"]}]"#
        let lost = Self.lost(
            (1, .client, Self.opening), (1, .server, "0:auth:ann"), (1, .client, Self.change),
            (2, .client, Self.opening), (2, .server, "0:auth:ann"), (2, .server, other),
            (2, .client, "0:i::::10"), (2, .server, #"0:i:{"index":[{"id":"k","v":1}]}"#))
        #expect(lost == [3])
    }

    @Test func `a change that is called a duplicate the second time was taken the first`() {
        let lost = Self.lost(
            (1, .client, Self.opening), (1, .server, "0:auth:ann"), (1, .client, Self.change),
            (2, .client, Self.opening), (2, .server, "0:auth:ann"), (2, .client, Self.change),
            (2, .server, #"0:c:[{"id":"k","ccids":["mine"],"error":409}]"#))
        #expect(lost == [])
    }
}
