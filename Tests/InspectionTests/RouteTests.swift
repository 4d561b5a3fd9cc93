import Filters
import Notation
import Testing
import Trace
import Wire

@testable import Inspection

@Suite("Routes of the inspector")
struct RouteTests {
    @Test("are those of the description, and no others")
    func described() throws {
        var described: Set<String> = []
        guard case .object(let paths)? = InspectionDescription.own["paths"] else {
            Issue.record("openapi.json has no paths")
            return
        }
        for path in paths.members {
            guard case .object(let item) = path.value else { continue }
            for method in item.members where method.key.string != "parameters" {
                described.insert("\(method.key.string.uppercased()) \(path.key.string)")
            }
        }
        let routes = InspectionRoute.allCases.filter { $0 != .control }
        #expect(described == Set(routes.map { "\($0.method ?? "*") \($0.path)" }))
    }

    @Test("have the control interface below each trace")
    func control() {
        let paths = InspectionDescription.document["paths"]
        #expect(paths?["/v1/traces/{trace}/control/v1/rules"]?["get"] != nil)
        #expect(paths?["/v1/traces"]?["get"] != nil)
        let schemas = InspectionDescription.document["components"]?["schemas"]
        #expect(schemas?["Row"] != nil && schemas?["Rule"] != nil)
    }

    @Test("are found by method and path")
    func found() throws {
        let (route, names) = try InspectionRoute.find(
            method: "GET", segments: ["v1", "traces", "2", "listings", "7", "rows"])
        #expect(route == .rows && names.trace == 2 && names.listing == 7)
        let row = try InspectionRoute.find(
            method: "GET", segments: ["v1", "traces", "1", "rows", "c12"])
        #expect(row.route == .row && row.names.row == "c12")
        let control = try InspectionRoute.find(
            method: "POST", segments: ["v1", "traces", "1", "control", "v1", "rules", "a b"])
        #expect(control.route == .control && control.names.rest == ["v1", "rules", "a b"])
        #expect(throws: (any Error).self) {
            try InspectionRoute.find(method: "GET", segments: ["v1", "nothing"])
        }
        #expect(throws: (any Error).self) {
            try InspectionRoute.find(method: "PUT", segments: ["v1", "traces"])
        }
    }

    @Test(
        "name rows as show does",
        arguments: [
            ("12", RowName.line(.init(.exchange, 12))), ("c3", .line(.init(.command, 3))),
            ("m4", .line(.init(.message, 4))), ("k5", .connection(.init(5))), ("0", nil),
            ("x1", nil), ("", nil), ("c", nil), ("99999999999999999999", nil), ("-1", nil),
        ] as [(String, RowName?)])
    func names(text: String, name: RowName?) {
        #expect(RowName(text) == name)
        if case .line(let place)? = name { #expect(place.name == text) }
    }

    @Test("show as a picture what is one by its bytes alone")
    func pictures() {
        #expect(PictureType(Array("<svg onload=alert(1)>".utf8)) == nil)
        #expect(PictureType(Array("<html>GIF89a".utf8)) == nil)
        #expect(PictureType(Array("GIF89a…".utf8)) == .gif)
        #expect(PictureType([0xFF, 0xD8, 0xFF, 0xE0]) == .jpeg)
        #expect(PictureType([]) == nil)
    }
}
