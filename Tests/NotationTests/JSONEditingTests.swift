import Notation
import Testing

struct JSONEditingTests {
    @Test(arguments: [
        (#"{"a": 1, "b":2}"#, "/a", "true", #"{"a": true, "b":2}"#),
        (#"{ "a" : {"b":[1, 2]} }"#, "/a/b/1", "3", #"{ "a" : {"b":[1, 3]} }"#),
        (#"{"a":[1,2]}"#, "/a/-", "3", #"{"a":[1,2,3]}"#),
        (#"{"a":[1,2]}"#, "/a/2", "3", #"{"a":[1,2,3]}"#),
        (#"{"a":[ ]}"#, "/a/0", "3", #"{"a":[3 ]}"#),
        (#"{ }"#, "/x", "1", #"{"x":1 }"#),
        (#"{"a":1}"#, "/b~1~0", "2", #"{"a":1,"b/~":2}"#),
        (#"{"a":1,"a":2}"#, "/a", "3", #"{"a":1,"a":3}"#),
        (#" [1] "#, "", "null", " null "),
    ])
    func `sets a value and leaves the rest`(
        text: String, place: String, value: String, expected: String
    ) throws {
        let pointer = try #require(JSONPointer(place))
        #expect(pointer.description == place)
        let made = try JSONDocument.scan(Array(text.utf8)).setting(pointer, to: Array(value.utf8))
        #expect(String(decoding: made, as: UTF8.self) == expected)
    }

    @Test(arguments: [
        (#"{"a": 1, "b":2}"#, "/a", #"{"b":2}"#), (#"{"a": 1, "b":2}"#, "/b", #"{"a": 1}"#),
        (#"{ "a":1 }"#, "/a", #"{ }"#), (#"[ 1, 2 , 3]"#, "/0", #"[ 2 , 3]"#),
        (#"[1, 2 , 3 ]"#, "/1", #"[1 , 3 ]"#), (#"[1]"#, "/0", "[]"),
        (#"{"a":1,"b":2,"a":3}"#, "/a", #"{"b":2}"#),
        (#"{"x":{"a":1},"y":0}"#, "/x/a", #"{"x":{},"y":0}"#),
    ])
    func `removes a value and leaves the rest`(text: String, place: String, expected: String) throws
    {
        let pointer = try #require(JSONPointer(place))
        let made = try JSONDocument.scan(Array(text.utf8)).removing(pointer)
        #expect(String(decoding: made, as: UTF8.self) == expected)
    }

    @Test(arguments: ["/b/c", "/a/x", "/l/3", "/l/01", "/l/-/x", "/l/+1"])
    func `has no place in what is not there`(place: String) throws {
        let pointer = try #require(JSONPointer(place))
        let document = try JSONDocument.scan(Array(#"{"a":1,"l":[1,2]}"#.utf8))
        #expect(throws: JSONDocument.EditError.missing(pointer)) {
            try document.setting(pointer, to: [0x30])
        }
        #expect(throws: JSONDocument.EditError.missing(pointer)) { try document.removing(pointer) }
    }

    @Test(arguments: ["a", "a/b", "/~", "/a~2", "/~a"])
    func `is not a pointer`(text: String) { #expect(JSONPointer(text) == nil) }

    /// Every place of made documents is set, and removed, as a model does it on values.
    @Test(arguments: 0..<200 as Range<UInt64>)
    func `does what is done to values`(seed: UInt64) throws {
        var maker = JSONMaker(seed: seed)
        let text = maker.document()
        let document = try JSONDocument.scan(Array(text.utf8))
        let whole = JSONValue(document.root)
        for names in Self.places(whole, []) {
            let written = names.map {
                "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1")
            }.joined()
            let pointer = try #require(JSONPointer(written))
            #expect(pointer.names == names)
            let set = try document.setting(pointer, to: Array("[0]".utf8))
            let value = try JSONValue(JSONDocument.scan(set).root)
            #expect(
                value == Self.changed(whole, names[...], .array([.number("0")])),
                "\(text) \(written)")
            guard !names.isEmpty else { continue }
            let removed = try document.removing(pointer)
            let rest = try JSONValue(JSONDocument.scan(removed).root)
            #expect(rest == Self.changed(whole, names[...], nil), "\(text) \(written)")
        }
    }

    private static func places(_ value: JSONValue, _ names: [String]) -> [[String]] {
        switch value {
        case .object(let object):
            [names] + object.members.flatMap { places($0.value, names + [$0.key.string]) }
        case .array(let elements):
            [names] + elements.enumerated().flatMap { places($1, names + ["\($0)"]) }
        default: [names]
        }
    }

    private static func changed(
        _ value: JSONValue, _ names: ArraySlice<String>, _ new: JSONValue?
    ) -> JSONValue? {
        guard let name = names.first else { return new }
        switch value {
        case .object(let object):
            return .object(
                JSONObject(
                    object.members.compactMap { member in
                        guard member.key == ExactText(name) else { return member }
                        return changed(member.value, names.dropFirst(), new).map {
                            JSONObject.Member(member.key.string, $0)
                        }
                    }))
        case .array(let elements):
            return .array(
                elements.enumerated().compactMap { place, element in
                    "\(place)" == name ? changed(element, names.dropFirst(), new) : element
                })
        default: return value
        }
    }
}
