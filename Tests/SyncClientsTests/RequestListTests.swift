import HTTPLayer
import Notation
import Testing

@testable import SyncClients

/// Lists of requests, as `client http run` reads them.
struct RequestListTests {
    private func request(_ line: String) throws -> Request? {
        guard case .add(let request)? = try RequestList(parsing: line).steps.first?.action else {
            return nil
        }
        return request
    }

    @Test func `a request has the parameters of the layer`() throws {
        let line =
            #"{"url":"h/x","requestType":"GET","payload":{"a":[1]},"headers":{"A":"b"},"compression":true,"retryCount":15,"priority":"Immediate","requestTag":"t"}"#
        let request = try #require(try request(line))
        #expect(request.url == "h/x" && request.requestType == .get)
        #expect(request.payload == ["a": .array([.number("1")])])
        #expect(request.headers.map(\.name) == ["A"] && request.headers.map(\.value) == ["b"])
        #expect(request.compression && request.retryCount == 15)
        #expect(request.priority == .immediate && request.requestTag == "t")
    }

    @Test func `what is not said is as the layer has it`() throws {
        let request = try #require(try request(#"{"url":"h","requestBody":"x"}"#))
        #expect(request.requestType == .post && request.requestBody == .bytes([0x78]))
        #expect(request.retryCount == 1 && request.priority == .normal && !request.compression)
        let file = try #require(try self.request(#"{"requestBodyFile":"f","url":"h"}"#))
        #expect(file.requestBody == .file(path: "f"))
    }

    @Test func `lines have times, and switch the background`() throws {
        let list = try RequestList(
            parsing: """
                # two requests
                {"url":"a"}

                {"lifecycle":"background","at":"1.5s"}
                {"at":"20ms","backgroundTasks":true}
                {"lifecycle":"foreground"}\r
                {"url":"b","at":"2m"}
                """)
        #expect(list.count == 2)
        #expect(list.steps.map(\.line) == [2, 4, 5, 6, 7])
        #expect(
            list.steps.map(\.time) == [nil, 1_500_000_000, 20_000_000, nil, 120_000_000_000])
        let isAsMeant = list.steps.map { step in
            switch (step.line, step.action) {
            case (4, .lifecycle(.background)), (6, .lifecycle(.foreground)),
                (5, .backgroundTasks(true)), (2, .add), (7, .add):
                true
            default: false
            }
        }
        #expect(!isAsMeant.contains(false))
    }

    @Test(arguments: [
        ("{", "this is not JSON"), ("[]", "a line is an object"), ("{}", "needs \"url\""),
        (#"{"url":1}"#, "needs \"url\""), (#"{"url":"a","retryCount":16}"#, "15"),
        (#"{"url":"a","retryCount":"1"}"#, "0 to 15"), (#"{"url":"a","at":"soon"}"#, "2s"),
        (#"{"url":"a","priority":"high"}"#, "Immediate"), (#"{"url":"a","x":1}"#, "no \"x\""),
        (#"{"lifecycle":"away"}"#, "foreground"), (#"{"backgroundTasks":1}"#, "true or false"),
        (#"{"url":"a","headers":{"b":1}}"#, "\"b\" is a string"),
        (#"{"url":"a","requestType":"PUT"}"#, "\"GET\""), (#"{"url":"a","payload":[]}"#, "object"),
        (#"{"url":"a","requestBody":{}}"#, "string"), (#"{"url":"a","compression":0}"#, "false"),
        (#"{"url":"a","requestTag":0}"#, "string"), (#"{"url":"a","headers":[]}"#, "strings"),
        (#"{"url":"a","requestBodyFile":0}"#, "file"),
    ])
    func `a mistake has its line and what to write`(line: String, words: String) {
        let problem = #expect(throws: RequestList.Problem.self) {
            _ = try RequestList(parsing: "{\"url\":\"a\"}\n" + line)
        }
        #expect(problem?.line == 2)
        #expect(problem?.reason.contains(words) == true, "\(problem?.reason ?? "")")
    }
}
