import Synchronization
import Testing
import Wire

@testable import Addons

@Suite struct LuaAddonTests {
    /// What a script said besides its verdicts.
    private final class Said: Sendable {
        let lines = Mutex<[String]>([])
        let warnings = Mutex<[String]>([])
        let asides = Mutex<[AddonAside]>([])

        var report: AddonReport {
            AddonReport(
                line: { line in self.lines.withLock { $0.append(line) } },
                warning: { text in self.warnings.withLock { $0.append(text) } },
                aside: { aside in self.asides.withLock { $0.append(aside) } }, now: { .zero })
        }
    }

    private let said = Said()

    private func script(_ text: String, _ limits: AddonLimits = AddonLimits()) -> LuaAddon {
        LuaAddon(Array(text.utf8), name: "test.lua", limits: limits, report: said.report)
    }

    private func judge(
        _ text: String, _ event: AddonEvent
    ) throws -> (verdict: AddonVerdict, asides: [AddonAside]) {
        let addon = script(text)
        try #require(addon.start(), "\(said.warnings.withLock(\.self))")
        let hello = try #require(addon.hello)
        let interest = try #require(AddonInterest(event, in: hello))
        return try #require(addon.judge(event, interest))
    }

    @Test(
        arguments: [
            ("on('', function(e) end)", .pass),
            ("on('', function(e) e:drop() end)", .drop),
            ("on('', function(e) e:delay(0.25) end)", .delay(nanoseconds: 250_000_000)),
            (
                "on('', function(e) e:edit(e.payload .. '!') e:drop() end)",
                .edit(AddonEdit(content: Array("text!".utf8)))
            ),
            (
                "on('', function(e) e:edit({title = 'a\"\\n'}) end)",
                .edit(AddonEdit(content: Array(#"{"title":"a\u0022\u000a"}"#.utf8)))
            ),
            ("on('', function(e) e:edit('\\255') end)", .edit(AddonEdit(content: [0xFF]))),
            (
                "on('sender:client', {'message'}, function(e) e:drop() end) on('', function(e) end)",
                .pass
            ),
        ] as [(String, AddonVerdict)])
    func decides(text: String, verdict: AddonVerdict) throws {
        #expect(try judge(text, Events.message("text")).verdict == verdict)
        #expect(said.warnings.withLock(\.self) == [])
    }

    @Test func `answers and edits HTTP`() throws {
        let answer = try judge(
            "on('api:commcare.submit', function(e) e:answer(503, 'later', {['Retry-After'] = '9'}) end)",
            Events.exchange())
        let fields = [AddonField(name: "Retry-After", value: "9")]
        #expect(
            answer.verdict
                == .answer(AddonEdit(content: Array("later".utf8), status: 503, fields: fields)))
        let edit = try judge(
            "on('status:200', function(e) e:edit(nil, {status = e.status + 4, headers = {ETag = json.null}}) end)",
            Events.exchange(status: 200))
        #expect(
            edit.verdict
                == .edit(AddonEdit(status: 204, fields: [AddonField(name: "ETag", value: nil)])))
    }

    @Test func `has the members of an event`() throws {
        let found = try judge(
            """
            on('', 'response', function(e)
              e:note(table.concat({e.kind, e.method, e.api, e.status, e.request.content, e.response.content,
                #e.openrosa, tostring(e.nothing), e.text, e.connection_id}, ' '))
              e:mark('here')
              print('seen', 7)
            end)
            """, Events.exchange(status: 201))
        #expect(
            found.asides
                == [
                    .note("response POST commcare.submit 201 <data/> done 0 nil done 7"),
                    .mark("here"),
                ])
        #expect(said.lines.withLock(\.self) == ["seen\t7"])
    }

    @Test(arguments: [
        ("on('', function() while true do end end)", "more than 1000000 instructions"),
        (
            "on('', function() while true do pcall(function() while true do end end) end end)",
            "more than 1000000 instructions"
        ),
        (
            "on('', function() local t = {} while true do t[#t + 1] = ('x'):rep(10000) end end)",
            "not enough memory"
        ),
        ("on('', function() local s = ('x'):rep(1 << 30) end)", "not enough memory"),
        ("on('', function() nothing.at_all = 1 end)", "test.lua:1: attempt to index a nil value"),
        ("on('', function(e) e:answer(200) end)", #""answer" does not go with a message"#),
        ("on('', function(e) e:edit('a', {status = 7}) end)", #""status" is not a whole number"#),
        ("on('', function(e) e:note('') end)", #""text" is not a text of 1 to 4096 bytes"#),
        ("on('', function(e) for i = 1, 65 do e:note('n') end end)", "more than 64 marks"),
        ("on('', function(e) setmetatable({}, {__gc = print}) end)", "__gc is not allowed"),
        ("on('', function() error() end)", ""),
        (
            "on('', function() local t = setmetatable({}, {__index = function(t, k) return t[k] end}) return t.x end)",
            "overflow"
        ),
    ])
    func `lets pass what goes wrong, and says so`(text: String, problem: String) throws {
        let found = try judge(text, Events.message("text"))
        #expect(found.verdict == .pass)
        let warnings = said.warnings.withLock(\.self)
        #expect(warnings.count == 1 && warnings[0].contains(problem), "\(warnings)")
    }

    @Test(arguments: [
        ("on('stauts:4', print)", "there is no field"), ("on('', 7)", "on() needs a function"),
        ("on(", "test.lua:1:"), ("\u{1B}LuaS", "attempt to load a binary chunk"),
        ("while true do end", "more than 1000000 instructions"),
        ("for i = 1, 65 do on('', print) end", "on() is for at most 64 filters"),
    ])
    func `refuses a script`(text: String, problem: String) {
        #expect(!script(text).start())
        let warnings = said.warnings.withLock(\.self)
        #expect(warnings.count == 1 && warnings[0].contains(problem), "\(warnings)")
    }

    @Test(arguments: [
        "io", "os", "require", "package", "debug", "load", "loadfile", "loadstring", "dofile",
        "coroutine", "collectgarbage", "string.dump", "_on", "_say", "getmetatable(on)",
    ])
    func `has nothing that reaches out`(name: String) throws {
        let addon = script("if \(name) ~= nil then error('it is there') end")
        #expect(addon.start(), "\(said.warnings.withLock(\.self))")
    }

    @Test func `goes on after a failure, and ends with what it has to say`() throws {
        let addon = script(
            """
            local seen = 0
            on('', 'message', function(e) seen = seen + 1 if e.payload == 'bad' then error('bad') end end)
            on_end(function() note(seen .. ' messages') end)
            """)
        #expect(addon.start())
        let hello = try #require(addon.hello)
        for text in ["a", "bad", "bad", "b"] {
            let event = Events.message(text)
            let interest = try #require(AddonInterest(event, in: hello))
            #expect(addon.judge(event, interest)?.verdict == .pass)
        }
        addon.finish(isAborted: false)
        #expect(addon.hello == nil && said.asides.withLock(\.self) == [.note("4 messages")])
        #expect(said.warnings.withLock(\.self).count == 1 && addon.counts.failures == 2)
    }
}
