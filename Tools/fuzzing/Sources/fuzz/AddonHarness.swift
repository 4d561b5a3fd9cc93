internal import Addons

extension Harness {
    /// Takes what an add-on writes, in pieces and at once, and reads each of its lines.
    static let addon = Harness(name: "addon") { bytes in
        let longest = 1_000
        var whole = AddonLines(longest: longest)
        var pieces = AddonLines(longest: longest)
        let (lines, failure) = whole.feed(bytes)
        var apart: [[UInt8]] = []
        for byte in bytes {
            let (found, problem) = pieces.feed([byte])
            apart += found
            demand(pieces.pendingBytes <= longest, "no more than a line is kept")
            if problem != nil {
                demand(failure != nil, "what is too long in pieces is too long at once")
                break
            }
        }
        demand(apart == lines, "the lines are the same however they come")
        for line in lines {
            demand(line.count <= longest, "a line is no longer than it may be")
            do throws(AddonError) {
                _ = try AddonLine(line)
            } catch {
                demand((0...line.count).contains(error.offset), "\(error) is inside the line")
            }
            do throws(AddonError) {
                let hello = try AddonHello(line: line)
                demand(hello.subscriptions.count <= 64, "subscriptions are bounded")
            } catch {
                demand((0...line.count).contains(error.offset), "\(error) is inside the line")
            }
        }
    }
}
