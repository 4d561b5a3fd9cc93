import LuaShim
import Wire

/// A script in Lua with its state, and what one call of it decided.
///
/// Used by one thread at a time.
final class LuaScript {
    /// What it asks for, in its order.
    private(set) var subscriptions: [AddonSubscription] = []
    private let limits: AddonLimits
    private let show: (String) -> Void
    private var state: OpaquePointer?
    private var event: AddonEvent?
    private var members: [AddonMember]?
    private var verdict: AddonVerdict?
    private var asides: [AddonAside] = []

    /// What a call decided.
    struct Outcome {
        /// What becomes of the event.
        var verdict: AddonVerdict
        /// What comes beside it.
        var asides: [AddonAside]
        /// What went wrong; the event passes then.
        var problem: String?
    }

    /// A state without a script; nil where there is no memory for it.
    init?(limits: AddonLimits, show: @escaping (String) -> Void) {
        self.limits = limits
        self.show = show
        let calls = shim_lua_calls(
            context: Unmanaged.passUnretained(self).toOpaque(),
            on: { context, json, size in
                LuaScript.of(context)?.subscribe(LuaScript.bytes(json, size)) ?? -1
            },
            field: { context, name, size in
                LuaScript.of(context)?.give(LuaScript.bytes(name, size)) == true ? 1 : 0
            },
            say: { context, line, size, content, contentSize in
                let said = content.map { LuaScript.bytes($0, contentSize) }
                let isFine = LuaScript.of(context)?.say(LuaScript.bytes(line, size), said) == true
                return isFine ? 0 : -1
            },
            print: { context, text, size in
                LuaScript.of(context)?.show(
                    String(decoding: LuaScript.bytes(text, size), as: UTF8.self))
            })
        state = shim_lua_new(limits.luaMemoryBytes, limits.luaInstructions, calls)
        if state == nil { return nil }
    }

    deinit { if let state { shim_lua_close(state) } }

    private static func of(_ context: UnsafeMutableRawPointer?) -> LuaScript? {
        context.map { Unmanaged<LuaScript>.fromOpaque($0).takeUnretainedValue() }
    }

    private static func bytes(_ start: UnsafePointer<CChar>?, _ size: Int) -> [UInt8] {
        guard let start else { return [] }
        return Array(UnsafeRawBufferPointer(start: start, count: size))
    }

    // MARK: Calls

    /// Runs the text of the script, which subscribes.
    ///
    /// - Returns: What went wrong; nil where nothing did.
    func load(_ source: [UInt8], name: String) -> String? {
        guard let state else { return nil }
        let status = source.withUnsafeBytes { raw in
            shim_lua_load(
                state, raw.baseAddress?.assumingMemoryBound(to: CChar.self), raw.count,
                "@\(name)")
        }
        return status == 0 ? nil : message
    }

    /// Asks the functions of subscriptions about an event.
    func judge(_ event: AddonEvent, _ numbers: [Int]) -> Outcome {
        guard let state else { return Outcome(verdict: .pass, asides: [], problem: nil) }
        self.event = event
        members = nil
        verdict = nil
        asides = []
        let status = numbers.map(Int64.init).withUnsafeBufferPointer {
            shim_lua_judge(state, $0.baseAddress, $0.count)
        }
        self.event = nil
        guard status == 0 else { return Outcome(verdict: .pass, asides: asides, problem: message) }
        return Outcome(verdict: verdict ?? .pass, asides: asides, problem: nil)
    }

    /// Calls the functions for the end.
    func end() -> Outcome {
        guard let state else { return Outcome(verdict: .pass, asides: [], problem: nil) }
        asides = []
        let status = shim_lua_end(state)
        return Outcome(verdict: .pass, asides: asides, problem: status == 0 ? nil : message)
    }

    private var message: String {
        guard let state else { return "" }
        var size = 0
        let text = shim_lua_message(state, &size)
        return String(decoding: Self.bytes(text, size), as: UTF8.self)
    }

    private func put(_ bytes: [UInt8]) {
        guard let state else { return }
        bytes.withUnsafeBufferPointer { shim_lua_put(state, $0.baseAddress, $0.count) }
    }

    // MARK: Answers

    private func subscribe(_ line: [UInt8]) -> Int64 {
        do throws(AddonError) {
            let hello = try AddonHello(
                line: Array(#"{"hello":1,"on":["#.utf8) + line + Array("]}".utf8))
            guard subscriptions.count < AddonHello.maxSubscriptions, event == nil else {
                put(
                    Array(
                        "on() is for at most \(AddonHello.maxSubscriptions) filters, while the script is loaded"
                            .utf8))
                return -1
            }
            subscriptions += hello.subscriptions
            return Int64(subscriptions.count - 1)
        } catch {
            put(Array(error.detail.utf8))
            return -1
        }
    }

    /// Gives a member of the event.
    private func give(_ name: [UInt8]) -> Bool {
        guard let event else { return false }
        let value: AddonValue?
        switch String(decoding: name, as: UTF8.self) {
        case "kind": value = .text(event.kind.rawValue)
        case "text": value = .bytes(event.bytes)
        case "sender": value = event.sender.map { .text($0.description) }
        case "connection_id": value = .integer(event.connection.rawValue)
        case "at_ns": value = .integer(event.at.nanoseconds)
        case let name:
            if event.kind == .message, name == "payload" {
                value = .bytes(event.bytes)
            } else {
                let known = members ?? event.members
                members = known
                value = known.first { $0.name == name }?.value
            }
        }
        guard let value else { return false }
        var tape: [UInt8] = []
        value.writeLua(to: &tape)
        put(tape)
        return true
    }

    private func say(_ line: [UInt8], _ content: [UInt8]?) -> Bool {
        let start = content == nil ? #"{"id":1,"# : #"{"id":1,"text":"","#
        do throws(AddonError) {
            let said = try AddonLine(Array(start.utf8) + line.dropFirst(), limits: limits)
            var found = said.content
            if let content { found.replaceContent(content) }
            if let event, !found.isApplicable(to: event.kind) {
                throw AddonError(
                    .notApplicable(found.name, kind: event.kind.rawValue), at: said.offset)
            }
            switch found {
            case .verdict(let new): verdict = verdict ?? new
            case .aside(let aside):
                guard asides.count < limits.besideEachEvent else {
                    throw AddonError(.flood(limit: limits.besideEachEvent), at: 0)
                }
                asides.append(aside)
            }
            return true
        } catch {
            put(Array(error.detail.utf8))
            return false
        }
    }
}

extension AddonLine.Content {
    /// Puts content, which may be no text, in the place of what the line has.
    fileprivate mutating func replaceContent(_ content: [UInt8]) {
        switch self {
        case .verdict(.edit(var edit)):
            edit.content = content
            self = .verdict(.edit(edit))
        case .verdict(.answer(var edit)):
            edit.content = content
            self = .verdict(.answer(edit))
        case .aside(.send(_, let receiver)): self = .aside(.send(content, to: receiver))
        case .verdict, .aside: break
        }
    }
}

extension AddonValue {
    /// Appends it as the shim of Lua takes it.
    fileprivate func writeLua(to tape: inout [UInt8]) {
        func write(_ kind: String, _ count: Int) {
            tape += kind.utf8
            withUnsafeBytes(of: UInt32(clamping: count)) { tape += $0 }
        }
        switch self {
        case .null: tape += "n".utf8
        case .integer(let number):
            tape += "i".utf8
            withUnsafeBytes(of: number) { tape += $0 }
        case .text(let text):
            write("s", text.utf8.count)
            tape += text.utf8
        case .bytes(let bytes):
            write("s", bytes.count)
            tape += bytes
        case .list(let values):
            write("l", values.count)
            for value in values { value.writeLua(to: &tape) }
        case .object(let members):
            write("o", members.count)
            for member in members {
                AddonValue.text(member.name).writeLua(to: &tape)
                member.value.writeLua(to: &tape)
            }
        }
    }
}
