import Foundation

/// What the environment says, which may differ from what the user thinks.
enum EnvironmentExaminations {
    /// All of them.
    ///
    /// - Parameters:
    ///   - variables: The environment.
    ///   - program: Path of this program; nil where the system does not report it.
    ///   - isReadable: Whether a file can be read.
    ///   - answers: Whether something listens at a host and port.
    /// - Returns: One or several of each.
    static func all(
        _ variables: [String: String], program: String?, isReadable: (String) -> Bool,
        answers: (String, Int) -> Bool
    ) -> [Examination] {
        [home(variables), proxies(variables, answers)]
            + certificates(variables, isReadable) + [path(variables, program, isReadable)]
    }

    private static func home(_ variables: [String: String]) -> Examination {
        let name = "HOME"
        for key in ["XDG_DATA_HOME", "HOME"] {
            if let value = variables[key], value.hasPrefix("/") {
                return .ok(name, "\(key) is \(value)")
            }
        }
        return .failed(
            name, "neither HOME nor XDG_DATA_HOME is an absolute path",
            "set HOME, or name a folder for the certificate authority with --ca-dir DIR")
    }

    private static func proxies(
        _ variables: [String: String], _ answers: (String, Int) -> Bool
    ) -> Examination {
        let name = "proxy variables"
        let set = CommandEnvironment.proxies.filter { !(variables[$0] ?? "").isEmpty }
        guard !set.isEmpty else {
            return .ok(name, "none is set; tapedeck record TRACE -- COMMAND sets them for COMMAND")
        }
        let detail = set.map { "\($0)=\(shown(variables[$0] ?? ""))" }.joined(separator: " ")
        for key in set {
            let value = variables[key] ?? ""
            let text = value.contains("://") ? value : "http://\(value)"
            guard let url = URL(string: text), let host = url.host else {
                return .warning(name, detail, "\(key) is no URL; write http://HOST:PORT")
            }
            let port = url.port ?? 80
            guard ListenAddress(host: host, port: port).isLoopback else { continue }
            guard answers(host, port) else {
                return .warning(
                    name, detail,
                    "nothing listens at \(ListenAddress.text(host, port)): start the proxy there, or unset \(key)"
                )
            }
        }
        for (lower, upper) in [("http_proxy", "HTTP_PROXY"), ("https_proxy", "HTTPS_PROXY")]
        where variables[lower] != variables[upper] {
            return .warning(
                name, detail,
                "\(lower) and \(upper) differ, and programs read one or the other: set both")
        }
        let excluded = variables["no_proxy"] ?? variables["NO_PROXY"] ?? ""
        guard excluded.isEmpty else {
            return .warning(
                name, "\(detail) no_proxy=\(excluded)",
                "what no_proxy names does not come through the proxy; unset it to record that as well"
            )
        }
        return .ok(name, detail)
    }

    /// A URL without its password.
    private static func shown(_ url: String) -> String {
        url.replacing(#/\/\/[^@\/]*@/#, with: "//…@")
    }

    private static func certificates(
        _ variables: [String: String], _ isReadable: (String) -> Bool
    ) -> [Examination] {
        (CommandEnvironment.bundles + CommandEnvironment.additions).compactMap { key in
            guard let file = variables[key], !file.isEmpty, !isReadable(file) else { return nil }
            return .failed(
                "certificates", "\(key) names \(file), which cannot be read",
                "correct or unset \(key): programs that read it trust no server")
        }
    }

    private static func folder(_ path: String) -> String {
        URL(fileURLWithPath: path).deletingLastPathComponent().path
    }

    private static func path(
        _ variables: [String: String], _ program: String?, _ isReadable: (String) -> Bool
    ) -> Examination {
        let folders = (variables["PATH"] ?? "").split(separator: ":")
        if let folder = folders.first(where: { isReadable("\($0)/tapedeck") }) {
            return .ok("PATH", "tapedeck is in \(folder)")
        }
        return .warning(
            "PATH", "tapedeck is in no folder of PATH",
            "add it: export PATH=\"\(program.map(folder) ?? "DIR"):$PATH\"")
    }
}
