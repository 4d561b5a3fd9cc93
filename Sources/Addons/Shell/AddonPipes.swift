import Platform

/// The pipes between this process and a program.
///
/// Descriptors of this side never block; those of the program are closed here once it runs.
struct AddonPipes {
    /// Where this process writes what the program reads; -1 once it is closed.
    private(set) var input: Int32
    /// Where this process reads what the program writes; -1 once it has ended.
    private(set) var output: Int32
    /// Where this process reads what the program writes for people; -1 once it has ended.
    private(set) var error: Int32
    private var others: [Int32]

    /// What the program gets.
    var streams: ChildProcess.Streams {
        ChildProcess.Streams(input: others[0], output: others[1], error: others[2])
    }

    /// Three pipes; nil where the system has no more descriptors.
    init?() {
        var ends: [Int32] = []
        for _ in 0..<3 {
            var pair: [Int32] = [-1, -1]
            guard pipe(&pair) == 0 else {
                for end in ends { _ = Platform.close(end) }
                return nil
            }
            ends += pair
        }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        for end in [ends[1], ends[2], ends[4]] { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
        (input, output, error) = (ends[1], ends[2], ends[4])
        others = [ends[0], ends[3], ends[5]]
    }

    /// Closes the program's ends in this process.
    mutating func closeOthers() {
        for end in others { _ = Platform.close(end) }
        others = []
    }

    /// Closes the program's input.
    mutating func closeInput() {
        if input >= 0 { _ = Platform.close(input) }
        input = -1
    }

    /// Closes the program's output.
    mutating func closeOutput() {
        if output >= 0 { _ = Platform.close(output) }
        output = -1
    }

    /// Closes the program's output for people.
    mutating func closeError() {
        if error >= 0 { _ = Platform.close(error) }
        error = -1
    }

    /// Closes everything.
    mutating func close() {
        closeOthers()
        closeInput()
        closeOutput()
        closeError()
    }

    /// What a descriptor has to read, at most 64 KiB; nil where there is nothing now, and an empty
    /// array at its end.
    static func read(_ descriptor: Int32, _ buffer: inout [UInt8]) -> [UInt8]? {
        while true {
            let count = Platform.read(descriptor, &buffer, buffer.count)
            if count >= 0 { return Array(buffer[..<count]) }
            if errno == EINTR { continue }
            return errno == EAGAIN ? nil : []
        }
    }
}
