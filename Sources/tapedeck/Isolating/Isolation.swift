import Foundation
import Platform

/// A command in a network of its own, in which every connection is redirected to a recording and every
/// question for a name answered by it; without root, by user namespaces (Linux).
///
/// It is started before the recording listens, since the sockets have to be made inside, and waits
/// there until ``begin()``.
final class Isolation: Sendable {
    /// The process that becomes the command.
    let process: ChildProcess
    /// Listening sockets that get all connections, over IPv4 and, where the system has it, over IPv6.
    let connections: [Int32]
    /// Sockets of UDP that get all questions for names, in the same order.
    let questions: [Int32]
    private let control: Int32

    /// What is needed besides the kernel, and the package that has it in Debian.
    private static let programs = [
        ("unshare", "util-linux"), ("setpriv", "util-linux"), ("nft", "nftables"),
    ]

    /// How long the network may take to be made, in milliseconds.
    private static let patience: Int32 = 20_000

    /// Makes the network and has the command wait in it.
    ///
    /// - Parameters:
    ///   - path: The program's file.
    ///   - arguments: Its name and arguments.
    ///   - environment: Its whole environment.
    /// - Throws: ``Failure`` where the system does not allow it.
    init(
        _ path: String, arguments: [String], environment: [String: String]
    ) throws(Failure) {
        #if !os(Linux)
        throw Failure(.unavailable, "--isolate needs Linux")
        #else
        for (program, package) in Self.programs where SystemProgram.path(of: program) == nil {
            throw Failure(
                .unavailable,
                "--isolate needs the program \(program); install the package \(package)")
        }
        var ends: [Int32] = [-1, -1]
        guard socketpair(AF_UNIX, Int32(SOCK_SEQPACKET.rawValue), 0, &ends) == 0 else {
            throw Failure(.io, "--isolate: no socket: \(String(cString: strerror(errno)))")
        }
        InheritedFiles.closeOthers()
        _ = fcntl(ends[1], F_SETFD, 0)
        control = ends[0]
        let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe"))
        let words =
            ["unshare", "--user", "--map-current-user", "--keep-caps", "--net", "--"]
            + [own ?? CommandLine.arguments[0], Self.word, "\(ends[1])", path] + arguments
        do throws(ChildProcess.NotStarted) {
            process = try ChildProcess(
                SystemProgram.path(of: "unshare") ?? "", arguments: words, environment: environment)
        } catch {
            for end in ends { close(end) }
            throw Failure(
                .io, "--isolate: unshare: \(String(cString: strerror(error.code)))")
        }
        close(ends[1])
        var waiting = pollfd(fd: control, events: Int16(POLLIN), revents: 0)
        var answer: (bytes: [UInt8], descriptors: [Int32]) = ([], [])
        if poll(&waiting, 1, Self.patience) == 1 {
            answer = (try? DescriptorPassing.receive(4, from: control)) ?? answer
        }
        guard [2, 4].contains(answer.descriptors.count) else {
            close(control)
            process.send(SIGKILL)
            _ = process.wait()
            let text = String(decoding: answer.bytes, as: UTF8.self)
            throw Failure(.unavailable, "--isolate: \(text.isEmpty ? Self.forbidden : text)")
        }
        let half = answer.descriptors.count / 2
        connections = Array(answer.descriptors[..<half])
        questions = Array(answer.descriptors[half...])
        #endif
    }

    /// What is said where not even the namespaces could be made.
    private static let forbidden =
        "this system lets no user make a network of its own (unshare --user --net failed); as root it "
        + "works, or after sysctl kernel.apparmor_restrict_unprivileged_userns=0 (Ubuntu) or "
        + "user.max_user_namespaces=10000, in a container with --security-opt seccomp=unconfined"

    /// Has the command begin.
    func begin() {
        _ = try? DescriptorPassing.send([1], [], over: control)
        close(control)
    }

    /// The first argument of a process that is to become the command.
    static let word = "isolated-command"
}

#if os(Linux)
/// The inside: makes the network, hands its sockets out, waits, and becomes the command.
enum IsolatedCommand {
    /// The addresses that programs inside have: of what no machine has, and of a private network.
    private static let (address, address6): ([UInt8], [UInt8]) = (
        [198, 18, 0, 1],
        [0xFD, 0x74, 0x61, 0x70, 0x65, 0x64] + [UInt8](repeating: 0, count: 9) + [1]
    )

    /// A socket for connections, and one for questions.
    private struct Pair {
        let connections, questions: (descriptor: Int32, port: Int)

        init(isIPv6: Bool) throws(NetworkNamespace.Failure) {
            connections = try NetworkNamespace.openSocket(isStream: true, isIPv6: isIPv6)
            questions = try NetworkNamespace.openSocket(isStream: false, isIPv6: isIPv6)
        }

        var ports: RedirectRules.Ports {
            RedirectRules.Ports(connections: connections.port, questions: questions.port)
        }
    }

    /// Does that where the arguments of this process ask for it, and returns else.
    ///
    /// - Parameter arguments: The words after the program's name.
    static func runIfAsked(_ arguments: [String]) {
        guard arguments.count > 3, arguments[0] == Isolation.word, let control = Int32(arguments[1])
        else { return }
        do throws(Failure) {
            try become(arguments[2], Array(arguments[3...]), control)
        } catch {
            _ = try? DescriptorPassing.send(Array(error.detail.utf8), [], over: control)
            _exit(error.status.rawValue)
        }
    }

    private static func become(
        _ path: String, _ arguments: [String], _ control: Int32
    ) throws(Failure) {
        _ = fcntl(control, F_SETFD, FD_CLOEXEC)
        do throws(NetworkNamespace.Failure) {
            try NetworkNamespace.routeToLoopback(from: address)
            let ipv4 = try Pair(isIPv6: false)
            try load(RedirectRules.isolated(ipv4.ports, isIPv6: false))
            // A system without IPv6 has nothing to be redirected.
            let ipv6 = try? redirectedIPv6()
            let pairs = [ipv4] + (ipv6.map { [$0] } ?? [])
            try hand(
                pairs.map(\.connections.descriptor) + pairs.map(\.questions.descriptor), control)
        } catch {
            throw Failure(
                .unavailable, "could not \(error.step): \(String(cString: strerror(error.code)))")
        }
        guard (try? DescriptorPassing.receive(0, from: control)) != nil else { _exit(1) }
        // Its capabilities are for this network alone, and it needs none of them.
        let words =
            ["setpriv", "--ambient-caps=-all", "--inh-caps=-all", "--", path]
            + arguments.dropFirst()
        var pointers = words.map { strdup($0) } + [nil]
        execv(SystemProgram.path(of: "setpriv") ?? "", &pointers)
        throw Failure(.io, "setpriv cannot be started: \(String(cString: strerror(errno)))")
    }

    private static func hand(
        _ descriptors: [Int32], _ control: Int32
    ) throws(NetworkNamespace.Failure) {
        do throws(DescriptorPassing.Failure) {
            try DescriptorPassing.send([1], descriptors, over: control)
        } catch {
            throw NetworkNamespace.Failure(step: "hand the sockets out", code: error.code)
        }
        for descriptor in descriptors { close(descriptor) }
    }

    private static func redirectedIPv6() throws -> Pair {
        try NetworkNamespace.routeIPv6ToLoopback(from: address6)
        let pair = try Pair(isIPv6: true)
        try nft(RedirectRules.isolated(pair.ports, isIPv6: true))
        return pair
    }

    private static func load(_ rules: String) throws(NetworkNamespace.Failure) {
        do {
            try nft(rules)
        } catch {
            StandardError.write("tapedeck: \(error.detail)\n")
            throw NetworkNamespace.Failure(
                step: "redirect connections by nft, whose message is above", code: ENOTSUP)
        }
    }

    private static func nft(_ rules: String) throws(Failure) {
        try SystemProgram.run("nft", ["-f", "-"], input: rules, package: "nftables")
    }
}
#endif
