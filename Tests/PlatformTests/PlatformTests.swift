import Foundation
import Platform
import Testing

@Suite struct PlatformTests {
    @Test func `counts descriptors`() throws {
        let before = try #require(OpenFiles.count())
        let files = (0..<8).map { _ in open("/dev/null", O_RDONLY) }
        // Tests beside this one open and close some.
        #expect(try #require(OpenFiles.count()) + 8 > before)
        for file in files { close(file) }
        #expect(OpenFiles.raiseLimit(to: 0) > 0)
    }

    @Test func `a file is found by the descriptor of its folder`() throws {
        let folder = NSTemporaryDirectory() + "/platform-\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: false)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let descriptor = open(folder, O_RDONLY | O_DIRECTORY)
        defer { close(descriptor) }
        let path = OpenFiles.path(of: "a", in: descriptor)
        try Data("text".utf8).write(to: URL(fileURLWithPath: path))
        #expect(FileManager.default.contents(atPath: folder + "/a") == Data("text".utf8))
    }

    @Test func `room is taken for a file`() throws {
        let path = NSTemporaryDirectory() + "/platform-\(UUID().uuidString)"
        let file = open(path, O_RDWR | O_CREAT | O_EXCL, 0o600)
        defer {
            close(file)
            unlink(path)
        }
        #expect(OpenFiles.reserve(4_096, of: file))
        #expect(lseek(file, 0, SEEK_END) == 4_096)
        // More than any disk has.
        #expect(!OpenFiles.reserve(1 << 60, of: file))
    }

    @Test func `knows its own program`() throws {
        let path = try #require(Processes.ownPath)
        #expect(access(path, X_OK) == 0)
        #expect(path.hasPrefix("/"))
    }
}
