internal import Glibc

/// What this run does; set once, before the first input.
private struct Run {
    let harness: Harness
    /// The longest that an input took, in nanoseconds of processor time, and its size.
    var slowest: (time: Int64, size: Int) = (0, 0)
}

// Safety: libFuzzer calls everything here on one thread.
nonisolated(unsafe) private var run: Run?

/// Longest that an input may take, in nanoseconds of processor time.
private let allowed: Int64 = 1_000_000_000

/// Chooses the harness that the environment names; without a name, lists all with their lengths.
@_cdecl("LLVMFuzzerInitialize")
public func prepare(
    _ count: UnsafeMutablePointer<CInt>?, _ arguments: UnsafeMutableRawPointer?
) -> CInt {
    guard let name = getenv("TAPEDECK_FUZZ") else {
        for harness in Harness.all { print(harness.name, harness.longest) }
        exit(0)
    }
    guard let harness = Harness.named(String(cString: name)) else {
        say("there is no harness \(String(cString: name))")
        exit(64)
    }
    run = Run(harness: harness)
    atexit {
        guard let slowest = run?.slowest else { return }
        say("slowest: \(slowest.time / 1000) us, \(slowest.size) bytes")
    }
    return 0
}

/// Gives one input to the harness.
@_cdecl("LLVMFuzzerTestOneInput")
public func test(_ data: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: data, count: count))
    let start = processorTime()
    run?.harness.run(bytes)
    let time = processorTime() - start
    if time > run?.slowest.time ?? 0 { run?.slowest = (time, count) }
    demand(time < allowed, "ends within a second; took \(time / 1_000_000) ms")
    return 0
}

/// Processor time of this thread in nanoseconds: others that are busy do not make it longer.
private func processorTime() -> Int64 {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec)
}

/// Ends the program, which makes libFuzzer keep the input.
func fail(_ text: String) {
    say(text)
    abort()
}

/// Prints a line on standard error.
private func say(_ text: String) {
    let line = Array((text + "\n").utf8)
    _ = line.withUnsafeBytes { write(STDERR_FILENO, $0.baseAddress, $0.count) }
}
