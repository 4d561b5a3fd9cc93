import Testing

@testable import Platform

@Suite struct DescriptorPassingTests {
    private func pair() -> (Int32, Int32) {
        var ends: [Int32] = [-1, -1]
        #if os(Linux)
        let kind = Int32(SOCK_SEQPACKET.rawValue)
        #else
        let kind = SOCK_STREAM
        #endif
        #expect(socketpair(AF_UNIX, kind, 0, &ends) == 0)
        return (ends[0], ends[1])
    }

    @Test func `an open file goes from one end to the other`() throws {
        let (here, there) = pair()
        let (one, other) = pair()
        defer { for end in [here, there, one, other] { close(end) } }
        try DescriptorPassing.send([7, 8], [one], over: here)
        let (bytes, descriptors) = try DescriptorPassing.receive(2, from: there)
        #expect(bytes == [7, 8] && descriptors.count == 1)
        let passed = try #require(descriptors.first)
        defer { close(passed) }
        #expect(passed != one && fcntl(passed, F_GETFD) == FD_CLOEXEC)
        #expect(write(passed, "x", 1) == 1)
        var byte: UInt8 = 0
        #expect(read(other, &byte, 1) == 1)
        #expect(byte == UInt8(ascii: "x"))
    }

    @Test func `an end that is closed is a failure`() {
        let (here, there) = pair()
        close(there)
        defer { close(here) }
        #expect(throws: DescriptorPassing.Failure.self) {
            try DescriptorPassing.receive(1, from: here)
        }
        #expect(throws: DescriptorPassing.Failure.self) {
            try DescriptorPassing.send([1], [], over: here)
        }
    }
}
