import Testing

@testable import OpenRosa

@Suite struct SignedInUserTests {
    @Test(arguments: [
        ("Basic YWRhOnNlY3JldA==", nil, "ada"),
        ("basic YWRhQGhxLmV4YW1wbGU6", "version=2.0", "ada@hq.example"),
        ("Basic YWRhOnNlY3JldA==", "version=2.0&as=bert%40hq+x%zz%+1%4", "bert@hq x%zz% 1%4"),
        ("Basic YWRhOnNlY3JldA==", "as=bert&as=", "ada"),
        ("Basic YWRhOnNlY3JldA==", "as=", "ada"),
        (nil, "was=x&as=Zo%C3%AB", "Zoë"),
        ("Basic OnNlY3JldA==", nil, nil), ("Basic YWRh", nil, nil), ("Basic *", nil, nil),
        ("Basic YWRhOnNlY3JldA== more", nil, nil), ("Bearer YWRhOnNlY3JldA==", "", nil),
        ("", "as", nil), (nil, nil, nil),
    ])
    func `is whom the query names, or who signs in`(
        authorization: String?, query: String?, name: String?
    ) {
        #expect(SignedInUser.name(authorization: authorization, query: query) == name)
    }
}
