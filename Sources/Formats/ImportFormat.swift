internal import Capturing
public import Trace

/// The kind of a file or folder that is to be imported.
public enum ImportFormat: Hashable, Sendable, CaseIterable {
    /// A recording as text: a folder with `recording.json`.
    case textRecording
    /// Packets: pcap or pcapng, or another file format of packet tools.
    case capture
    /// An HTTP archive.
    case har
    /// Flows of mitmproxy.
    case mitmproxy

    /// Bytes at the start of a file that are inspected.
    private static let enough = 4_096

    /// Detects the kind by the contents at `path`, not by its name.
    ///
    /// A file that looks like none of them is taken for an HTTP archive, whose reader reports what
    /// it is.
    ///
    /// - Throws: ``FileError`` where nothing is there, or it cannot be read.
    public init(of path: String) throws(FileError) {
        guard Folder.isThere(path) else {
            throw FileError(.cannotOpen, "\(path) does not exist; check the name")
        }
        guard !Folder.isFolder(path) else {
            self = .textRecording
            return
        }
        let source = try ArchiveSource(path: path)
        let start = try source.bytes(0..<min(Self.enough, source.count))
        switch CaptureFormat.recognize(start) {
        case .pcap, .pcapng, .compressed: self = .capture
        case .other where start.first != UInt8(ascii: "{") && !start.starts(with: "SQLite".utf8):
            self = .capture
        case .other, nil: self = MitmproxyReader.looksLike(start) ? .mitmproxy : .har
        }
    }
}
