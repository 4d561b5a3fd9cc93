internal import Crypto
internal import Notation

/// A report of a trace as one file of HTML, which loads nothing and runs nothing but its own script.
///
/// What was recorded stands in it as JSON, which a browser does not interpret, and the script shows it
/// as text alone. A Content-Security-Policy allows the script and style of the page by their hashes.
public enum ReportPage {
    /// The modules of the script by name, each after what it uses: those of the inspector, then its own.
    private static var modules: [(name: String, source: [UInt8])] {
        [
            ("format", PackageResources.format_js), ("dom", PackageResources.dom_js),
            ("store", PackageResources.store_js), ("address", PackageResources.address_js),
            ("payload-words", PackageResources.payload_words_js),
            ("row-words", PackageResources.row_words_js),
            ("text-difference", PackageResources.text_difference_js),
            ("words-view", PackageResources.words_view_js),
            ("list-columns", PackageResources.list_columns_js),
            ("row-grid", PackageResources.row_grid_js),
            ("finding-groups", PackageResources.finding_groups_js),
            ("timeline-drawing", PackageResources.timeline_drawing_js),
            ("timeline-canvas", PackageResources.timeline_canvas_js),
            ("content", PackageResources.content_js), ("detail", PackageResources.detail_js),
            ("findings", PackageResources.findings_js), ("list", PackageResources.list_js),
            ("timeline", PackageResources.timeline_js), ("report", PackageResources.report_js),
        ]
    }

    /// The file with this content.
    ///
    /// - Parameter content: JSON, the members of which are in Pages/Report/content.js.
    /// - Returns: HTML in UTF-8.
    public static func html(_ content: [UInt8]) -> [UInt8] {
        let script = JoinedModules.script(modules)
        let style =
            PackageResources.style_css + PackageResources.views_css + PackageResources.report_css
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
