internal import Crypto
internal import Notation

/// A report of a trace as one file of HTML, which loads nothing and runs nothing but its own script.
///
/// What was recorded stands in it as JSON, which a browser does not interpret, and the script shows it
/// as text alone. A Content-Security-Policy allows the script and style of the page by their hashes.
public enum ReportPage {
    /// The parts of the script, each after what it uses.
    private static var parts: [[UInt8]] {
        [
            PackageResources.content_js, PackageResources.detail_js, PackageResources.findings_js,
            PackageResources.list_js, PackageResources.timeline_js, PackageResources.report_js,
        ]
    }

    /// The file with this content.
    ///
    /// - Parameter content: JSON, the members of which are in Pages/Report/content.js.
    /// - Returns: HTML in UTF-8.
    public static func html(_ content: [UInt8]) -> [UInt8] {
        let script = parts.flatMap { Self.joined($0) }
        let style = PackageResources.report_css
        let fills: [String: [UInt8]] = [
            "@content": inert(content), "@script": script, "@style": style,
            "@scriptHash": hash(script), "@styleHash": hash(style),
        ]
        var page: [UInt8] = []
        page.reserveCapacity(content.count + script.count + style.count + 4096)
        let template = PackageResources.report_html
        var rest = template[...]
        while let mark = rest.firstIndex(of: UInt8(ascii: "@")) {
            page += rest[..<mark]
            let end = rest[mark...].dropFirst().firstIndex { !isLetter($0) } ?? rest.endIndex
            let name = String(decoding: rest[mark..<end], as: UTF8.self)
            page += fills[name] ?? Array(rest[mark..<end])
            rest = rest[end...]
        }
        return page + rest
    }

    private static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

    /// A module as part of one script: without its imports, and with what it exports in the open.
    private static func joined(_ module: [UInt8]) -> [UInt8] {
        let lines = String(decoding: module, as: UTF8.self)
            .split(separator: "\n", omittingEmptySubsequences: false)
        let kept = lines.filter { !$0.hasPrefix("import ") }.map {
            $0.hasPrefix("export ") ? $0.dropFirst("export ".count) : $0
        }
        return Array(kept.joined(separator: "\n").utf8)
    }

    /// JSON in which nothing ends or begins an element, written with escapes.
    private static func inert(_ json: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(json.count + json.count / 16)
        for byte in json {
            switch byte {
            case UInt8(ascii: "<"): result += #"\u003c"#.utf8
            case UInt8(ascii: ">"): result += #"\u003e"#.utf8
            case UInt8(ascii: "&"): result += #"\u0026"#.utf8
            default: result.append(byte)
            }
        }
        return result
    }

    /// The hash of a script or style as a policy has it.
    private static func hash(_ bytes: [UInt8]) -> [UInt8] {
        Array("sha256-\(Base64.encode(Array(SHA256.hash(data: bytes))))".utf8)
    }
}
