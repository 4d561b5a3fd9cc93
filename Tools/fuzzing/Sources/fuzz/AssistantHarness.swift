internal import Assistants

extension Harness {
    /// Gives what a client writes to a server for assistants, in pieces and at once, and an outcome to
    /// each of its works.
    static let assistants = Harness(name: "assistants") { bytes in
        let longest = 1_000
        var whole = AssistantLines(limit: longest)
        var pieces = AssistantLines(limit: longest)
        let lines = whole.consume(bytes)
        var apart: [AssistantLines.Line] = []
        for byte in bytes { apart += pieces.consume([byte]) }
        demand(apart == lines, "the lines are the same however they come")
        demand(whole.finish() == pieces.finish(), "so is the last")
        var server = AssistantServer(
            AssistantOptions(
                hasTrace: true, permissions: Set(AssistantPermission.allCases), version: "1",
                seed: 1))
        for line in lines {
            var sent = 0
            for command in server.receive(line) {
                switch command {
                case .cancel: break
                case .send(let message):
                    sent += 1
                    demand(!message.contains(0x0A), "an answer is one line")
                case .run(let number, let work):
                    demand(work.offset >= 0, "a place is in the text")
                    for case .send(let message) in server.finished(
                        number, .text(bytes, hasMore: true, notice: ""))
                    {
                        demand(!message.contains(0x0A), "an answer is one line")
                    }
                }
            }
            demand(sent <= 1, "a line has one answer at most")
        }
    }
}
