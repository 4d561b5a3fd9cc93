import Dispatch
import Foundation
import Platform
import Synchronization
import Testing

@testable import Trace

@Suite("A file that is written is lost only if somebody else has changed it")
struct FileWatchTests {
    /// A file with a header as SQLite writes it.
    private final class GrowingFile {
        let descriptor: CInt
        let watch: FileWatch
        private var pages = 1
        private static let pageSize = 4_096

        init(in directory: String) throws {
            let path = directory + "/grows"
            descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            let identity = try #require(FileIdentity(path: path))
            watch = FileWatch(path: path, descriptor: descriptor, identity: identity)
            stateSize()
            fill()
            watch.noteSize()
        }

        deinit { close(descriptor) }

        /// Grows by a page, as a checkpoint does: the first page comes first.
        func grow() {
            guard watch.beginMove() else { return }
            pages += 1
            stateSize()
            fill()
            watch.endMove(isDone: true)
        }

        /// States one page more than there is.
        func begin() {
            pages += 1
            stateSize()
        }

        private func stateSize() {
            var header = [UInt8](repeating: 0, count: 32)
            (header[16], header[17]) = (UInt8(Self.pageSize >> 8), 0)
            for place in 0..<4 {
                header[28 + place] = UInt8(truncatingIfNeeded: pages >> (24 - 8 * place))
            }
            #expect(pwrite(descriptor, header, header.count, 0) == header.count)
        }

        private func fill() {
            #expect(ftruncate(descriptor, off_t(pages * Self.pageSize)) == 0)
        }
    }

    @Test func `one that grows while it is looked at is not truncated`() throws {
        let trace = try TemporaryTrace()
        let file = try GrowingFile(in: trace.directory)
        let watch = file.watch
        let isDone = Atomic(false)
        let looks = Atomic(0)
        let ended = DispatchSemaphore(value: 0)
        let losses = Shared<[FileWatch.Loss]>([])
        let thread = Thread {
            while !isDone.load(ordering: .relaxed) {
                if let loss = watch.look() { losses.change { $0.append(loss) } }
                looks.add(1, ordering: .relaxed)
            }
            ended.signal()
        }
        thread.start()
        for _ in 0..<50_000 { file.grow() }
        isDone.store(true, ordering: .relaxed)
        ended.wait()
        #expect(looks.load(ordering: .relaxed) > 0)
        #expect(losses.get().isEmpty)
        #expect(ftruncate(file.descriptor, 100) == 0)
        #expect(watch.look() == .truncated)
        #expect(!watch.beginMove())
    }

    @Test func `one that another program made smaller is not truncated by the move after it`()
        throws
    {
        let trace = try TemporaryTrace()
        let file = try GrowingFile(in: trace.directory)
        for _ in 0..<4 { file.grow() }
        // As after VACUUM: shorter, and its header says so.
        let smaller = try GrowingFile(in: trace.directory)
        #expect(file.watch.look() == nil)
        #expect(file.watch.beginMove())
        smaller.begin()
        #expect(file.watch.look() == nil)
        file.watch.endMove(isDone: false)
        #expect(file.watch.look() == .truncated)
    }
}
