import Foundation
import OpenRosa
import Wire

/// A restore decoded to events while it is read in pieces of 64 KiB.
func measureRestore(_ path: String) throws {
    let clock = ContinuousClock()
    let began = clock.now
    var events = 0
    var properties = 0
    let reader = CommCareReader { event in
        events += 1
        if case .caseBlock(let block) = event { properties += block.update?.count ?? 0 }
    }
    let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
    while let data = try file.read(upToCount: 1 << 16), !data.isEmpty {
        let bytes = [UInt8](data)
        try reader.feed(bytes.span)
    }
    try reader.finish()
    let time = clock.now - began
    report([
        "seconds": Double(time.components.seconds) + Double(time.components.attoseconds) * 1e-18,
        "events": Double(events), "properties": Double(properties),
        "peak_bytes": Double(peakMemory()),
    ])
}

/// The largest resident size that this process has had, in bytes.
private func peakMemory() -> Int {
    let status = (try? String(contentsOfFile: "/proc/self/status", encoding: .utf8)) ?? ""
    let line = status.split(separator: "\n").first { $0.hasPrefix("VmHWM:") } ?? ""
    return (Int(line.filter(\.isNumber)) ?? 0) * 1024
}
