import Capturing
import Foundation
import Interception
import Platform
import Trace

/// What the machine allows.
enum MachineExaminations {
    /// Whether the authority is there, its key is private, it is valid, and the system trusts it.
    static func authority(directory: String, nowSeconds: Int64) -> [Examination] {
        let name = "certificate authority"
        let authority: CertificateAuthority
        do throws(InterceptionError) {
            authority = try CertificateAuthority.open(directory: directory, createIfMissing: false)
        } catch {
            return [
                error.code == .missing
                    ? .warning(
                        name, "there is none in \(directory)",
                        "tapedeck ca makes one, as does the first recording")
                    : .failed(name, error.reason, advice(error.code, directory))
            ]
        }
        let days = (authority.validUntilSeconds - nowSeconds) / 86_400
        let file = "\(directory)/\(CertificateAuthority.pemFile)"
        let own =
            days < 30
            ? Examination.warning(
                name, "\(file) expires in \(days) days", "move it away to get a new one")
            : .ok(name, "\(file), valid for \(days) days; the key is its owner's only")
        let isTrusted = SystemRoots.der(pem: SystemRoots.pem()).contains(authority.der)
        return [
            own,
            isTrusted
                ? .ok("trust", "the system trusts it")
                : .warning(
                    "trust", "the system does not trust it, and few programs need that",
                    "tapedeck record TRACE -- COMMAND lets COMMAND trust it; tapedeck ca --for PLATFORM has the steps for others"
                ),
        ]
    }

    private static func advice(_ code: InterceptionError.Code, _ directory: String) -> String {
        switch code {
        case .exposedKey: "chmod 600 \(directory)/\(CertificateAuthority.keyFile)"
        case .expired, .damaged: "move \(directory) away; the next recording makes a new one"
        default: "check the folder's permissions, or name another with --ca-dir DIR"
        }
    }

    /// Whether the default ports are free.
    static func ports() -> [Examination] {
        [("record and replay server", 8080), ("serve", 8000)].map { command, port in
            let name = "port \(port)"
            switch bindError(port) {
            case nil: return .ok(name, "free, the default of \(command)")
            case let code?:
                let failure = ListenFailure(
                    code, host: "127.0.0.1", port: port, otherwise: String(cString: strerror(code)))
                return .warning(
                    name, failure.reason, "\(command): --listen 127.0.0.1:0 takes a free port")
            }
        }
    }

    /// Whether something accepts connections at an address of this machine.
    static func answers(_ host: String, _ port: Int) -> Bool {
        let socket = tcpSocket()
        guard socket >= 0 else { return false }
        defer { close(socket) }
        var address = loopback(port)
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) == 0
            }
        }
    }

    /// The error of listening on a port of 127.0.0.1; nil where that works.
    private static func bindError(_ port: Int) -> Int32? {
        let socket = tcpSocket()
        guard socket >= 0 else { return errno }
        defer { close(socket) }
        var yes: Int32 = 1
        setsockopt(
            socket, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size))
        var address = loopback(port)
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        return result == 0 && listen(socket, 1) == 0 ? nil : errno
    }

    private static func tcpSocket() -> Int32 {
        #if canImport(Glibc)
        socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        #else
        socket(AF_INET, Int32(SOCK_STREAM), 0)
        #endif
    }

    private static func loopback(_ port: Int) -> sockaddr_in {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = in_port_t(port).bigEndian
        address.sin_addr.s_addr = in_addr_t(0x7F00_0001).bigEndian
        return address
    }

    /// Whether `sniff` may capture.
    static func capture() -> Examination {
        let name = "rights for sniff"
        let program = Processes.ownPath ?? "tapedeck"
        do throws(CaptureError) {
            _ = try LiveCapture(
                interface: "lo", expression: nil, isPromiscuous: false, stop: CaptureStop())
            return .ok(name, "packets can be captured")
        } catch {
            return .warning(
                name, "packets cannot be captured; everything else works",
                "sudo setcap cap_net_raw+ep \(program), or run tapedeck sniff with sudo")
        }
    }

    /// Whether there is room for a trace in a folder.
    static func disk(_ folder: String) -> Examination {
        let name = "disk"
        var status = statvfs()
        guard statvfs(folder, &status) == 0 else {
            return .failed(
                name, "\(folder) cannot be read: \(String(cString: strerror(errno)))",
                "choose another folder for the trace")
        }
        let free = Int64(clamping: UInt64(status.f_bavail) * UInt64(status.f_frsize))
        let detail = "\(ByteCount.text(free)) free for traces in \(folder)"
        guard access(folder, W_OK) == 0 else {
            return .failed(name, "\(folder) is not writable", "choose another folder for the trace")
        }
        if free < 50_000_000 {
            return .failed(name, detail, "make room, or bound traces with --max-size 20MB")
        }
        return free < 1_000_000_000
            ? .warning(name, detail, "bound traces with --max-size 500MB") : .ok(name, detail)
    }

    /// How many connections there can be at a time.
    static func descriptors() -> Examination {
        let limit = OpenFiles.raiseLimit(to: 65_536)
        let name = "file descriptors"
        return limit < 1024
            ? .warning(name, "\(limit), two for each connection", "raise the limit: ulimit -n 4096")
            : .ok(name, "\(limit), two for each connection")
    }

    /// The versions, and whether a trace can be read.
    static func versions(trace: String?) -> [Examination] {
        let versions = Examination.ok(
            "version", "tapedeck \(Program.version), traces of format \(Schema.version)")
        guard let trace else { return [versions] }
        do throws(TraceError) {
            let reader = try TraceReader(path: trace)
            return [
                versions,
                reader.warning.map {
                    .warning("trace", $0, "copy the trace to a folder of yours to read all of it")
                } ?? .ok("trace", "\(trace) can be read"),
            ]
        } catch {
            let advice =
                switch error.code {
                case .olderFormat: "read it with the version that wrote it"
                case .newerFormat: "install a later version of tapedeck"
                default: "name a trace that tapedeck record wrote"
                }
            return [versions, .failed("trace", error.reason, advice)]
        }
    }
}
