import Testing

/// Something that happens to a client, to be played with and without a mistake.
struct Scene: Sendable, CustomTestStringConvertible {
    let name: String
    let play: @Sendable (inout VariantWorld) -> Void

    var testDescription: String { name }

    /// All scenes, in which a client that behaves breaks no rule.
    static let all: [Scene] =
        [
            Scene(name: "a day of work", play: VariantWorld.dayOfWork),
            Scene(name: "an acknowledgement is lost", play: lostAcknowledgement),
            Scene(name: "a change is lost", play: lostChange),
            Scene(name: "the server forgot its changes", play: forgottenVersions),
            Scene(name: "the token is refused", play: refusedToken([401])),
            Scene(name: "a large bucket", play: manyObjects),
            Scene(name: "the server asks for the state", play: askedForState),
        ]
        + [400, 401, 404, 405, 409, 412, 413, 440, 500, 503].map { code in
            Scene(name: "a change is answered with \(code)", play: refused(code))
        }

    /// A change is answered with an error, then the client goes on working.
    static func refused(_ code: Int) -> @Sendable (inout VariantWorld) -> Void {
        { world in
            world.connect(VariantWorld.good)
            world.connect(VariantWorld.broken)
            world.edit(VariantWorld.broken, "a", "The a of the day.", 1)
            world.pass(1)
            world.refusals = [code]
            world.edit(VariantWorld.broken, "a", "The a of the whole day.", 2)
            world.pass(5)
            world.edit(VariantWorld.broken, "b", "Something else.", 1)
            world.pass(10)
            world.edit(VariantWorld.broken, "b", "Something else, again.", 2)
            world.pass(120)
        }
    }

    /// The connection ends with an acknowledgement on its way.
    static let lostAcknowledgement: @Sendable (inout VariantWorld) -> Void = { world in
        world.connect(VariantWorld.good)
        world.connect(VariantWorld.broken)
        world.edit(VariantWorld.broken, "a", "The a of the day.", 1)
        world.pass(1)
        world.isDeaf = true
        world.edit(VariantWorld.broken, "a", "The a of the whole day.", 2)
        world.pass(3)
        world.connect(VariantWorld.broken)
        world.pass(5)
        world.edit(VariantWorld.broken, "b", "Something else.", 1)
        world.pass(120)
    }

    /// The connection ends with a change on its way, which the server never gets.
    static let lostChange: @Sendable (inout VariantWorld) -> Void = { world in
        world.connect(VariantWorld.good)
        world.connect(VariantWorld.broken)
        world.edit(VariantWorld.broken, "a", "The a of the day.", 1)
        world.pass(1)
        world.isCutOff = true
        world.edit(VariantWorld.broken, "a", "The a of the whole day.", 2)
        world.pass(3)
        world.connect(VariantWorld.broken)
        world.pass(5)
        world.edit(VariantWorld.broken, "b", "Something else.", 1)
        world.pass(240)
    }

    /// The client comes back to a server that has let its versions go.
    static let forgottenVersions: @Sendable (inout VariantWorld) -> Void = { world in
        world.connect(VariantWorld.good)
        world.connect(VariantWorld.broken)
        world.edit(VariantWorld.broken, "a", "The a of the day.", 1)
        world.edit(VariantWorld.good, "d.e", "Made by the other.", 1)
        world.pass(1)
        world.cut(VariantWorld.broken)
        world.pass(2)
        world.forgetsVersions = true
        world.connect(VariantWorld.broken)
        world.pass(120)
    }

    /// The first tokens are not accepted.
    static func refusedToken(_ codes: [Int]) -> @Sendable (inout VariantWorld) -> Void {
        { world in
            world.authRefusals = codes
            world.connect(VariantWorld.broken)
            world.pass(60)
        }
    }

    /// More objects than a page holds, when the client comes for the first time.
    static let manyObjects: @Sendable (inout VariantWorld) -> Void = { world in
        world.connect(VariantWorld.good)
        for number in 0..<7 {
            world.edit(VariantWorld.good, "key.\(number)", "Object \(number) of the other.", 1)
        }
        world.pass(1)
        world.connect(VariantWorld.broken)
        world.pass(5)
        world.edit(VariantWorld.broken, "key.3", "Object 3 of both.", 2)
        world.pass(120)
    }

    /// The server asks for index and logs.
    static let askedForState: @Sendable (inout VariantWorld) -> Void = { world in
        world.connect(VariantWorld.broken)
        world.edit(VariantWorld.broken, "a", "The a of the day.", 1)
        world.pass(1)
        world.ask("0:index")
        world.pass(120)
    }
}
