import Faults
import Foundation

/// A plan as the command line names it: a file, or a pack.
struct PlanSource {
    private let name: String
    private let option: String

    /// The file or pack `name`, given with `option`.
    init(_ name: String, option: String = "") {
        self.name = name
        self.option = option
    }

    /// Whether there is a file of this name.
    static func isFile(_ name: String) -> Bool { FileManager.default.fileExists(atPath: name) }

    /// Reads it; a mistake is reported with its place.
    func plan() throws(Failure) -> FaultPlan {
        let text = try text()
        let plan: FaultPlan
        do throws(FaultPlanError) {
            plan = try FaultPlan.parse(yaml: text, recordings: .ofThisMachine)
        } catch {
            throw Failure(.usage, error.report(file: name))
        }
        return try plan.readingBodies(beside: name)
    }

    private func text() throws(Failure) -> String {
        guard Self.isFile(name) else {
            if let pack = FaultPack.named(name) { return pack.yaml }
            let nearest = FaultPack.nearest(to: name)
            let question =
                nearest.isEmpty ? "" : " (\(nearest.joined(separator: ", ")) come near)"
            throw Failure(
                .noInput,
                "\(option)\(name): no such file, and no such pack\(question); tapedeck faults packs lists them"
            )
        }
        guard let data = FileManager.default.contents(atPath: name) else {
            throw Failure(.noInput, "\(option)\(name) cannot be read; check its permissions")
        }
        guard let text = String(data: data, encoding: .utf8) else {
            throw Failure(.data, "\(option)\(name) is not UTF-8")
        }
        return text
    }
}

extension FaultPlan {
    /// The plan with the bodies that its files hold, which are searched beside the plan.
    func readingBodies(beside file: String?) throws(Failure) -> FaultPlan {
        var bodies: [String: String] = [:]
        let folder = file.map { URL(fileURLWithPath: $0).deletingLastPathComponent() }
        for name in bodyFiles {
            let place = URL(fileURLWithPath: name, relativeTo: folder)
            guard let data = FileManager.default.contents(atPath: place.path) else {
                throw Failure(.noInput, "body-file=\(name) cannot be read; check the name")
            }
            bodies[name] = String(decoding: data, as: UTF8.self)
        }
        return withBodies(bodies)
    }
}
