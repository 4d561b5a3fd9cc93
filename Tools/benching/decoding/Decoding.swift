import Foundation
import OpenRosa
import Simperium
import Wire

/// Measures the decoders on one core: `decoding messages FILE | diff | restore FILE`.
///
/// Prints one JSON object. `Tools/bench` makes the files, runs this beside its peers and compares.
@main
struct Decoding {
    static func main() throws {
        let arguments = CommandLine.arguments
        switch (arguments.dropFirst().first, arguments.count) {
        case ("messages", 3): try measureMessages(arguments[2])
        case ("diff", 2): try measureDiff()
        case ("restore", 3): try measureRestore(arguments[2])
        default:
            FileHandle.standardError.write(
                Data("decoding: say messages FILE, diff or restore FILE\n".utf8))
            exit(64)
        }
    }
}

/// Runs `body` until `seconds` have passed, at least 3 times, and gives the median of its seconds.
func median(of seconds: Double, _ body: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    var times: [Double] = []
    let end = clock.now + .seconds(seconds)
    while times.count < 3 || clock.now < end {
        let time = try clock.measure(body)
        times.append(Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18)
    }
    return times.sorted()[times.count / 2]
}

/// Prints figures as a JSON object.
func report(_ figures: KeyValuePairs<String, Double>) {
    print("{" + figures.map { "\"\($0.key)\": \($0.value)" }.joined(separator: ", ") + "}")
}
