import ArgumentParser
import Trace

/// `--on-disk-full` as it is written.
enum OnDiskFull: String, ExpressibleByArgument, CaseIterable {
    case pass, stop

    var option: TraceOptions.OnDiskFull { self == .pass ? .pass : .stop }
}
