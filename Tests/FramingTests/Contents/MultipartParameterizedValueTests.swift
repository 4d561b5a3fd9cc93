import Framing
import Testing

@Suite struct MultipartParameterizedValueTests {
    @Test(
        arguments: [
            ("form-data; name=\"x\"; filename=\"y.xml\"", "form-data", "x", "y.xml"),
            ("form-data;name=x;filename=y", "form-data", "x", "y"),
            (" form-data ; NAME = x ; FileName = \"y\" z", "form-data", "x", "y"),
            (
                "form-data; name=\"a;b=\\\"c\\\\\"; filename=\"C:\\dir\\f\"", "form-data",
                "a;b=\"c\\", "C:\\dir\\f"
            ),
            ("form-data; filename=\"a\"; filename*=UTF-8''%e2%82%ac%20b", "form-data", nil, "€ b"),
            ("form-data; filename*=iso-8859-1'en'%E9; filename=e", "form-data", nil, "é"),
            ("form-data; filename*=UTF-8''%ff; filename=e", "form-data", nil, "e"),
            ("form-data; filename*=UTF-8''%f; filename=e", "form-data", nil, "e"),
            ("form-data; filename*=koi8-r''x; filename=e", "form-data", nil, "e"),
            ("form-data; filename*=x", "form-data", nil, nil),
            ("form-data; name=\"unclosed", "form-data", "unclosed", nil),
            ("form-data; name=\"été\"", "form-data", "été", nil),
            ("form-data; name", "form-data", "", nil),
            ("form-data;;; name=x;", "form-data", "x", nil),
            ("", "", nil, nil), (";", "", nil, nil), ("=;=", "=", nil, nil),
        ] as [(String, String, String?, String?)])
    func `reads`(text: String, value: String, name: String?, filename: String?) {
        let result = ParameterizedValue.parse(text)
        #expect(result.value == value)
        #expect(result["name"] == name)
        #expect(result["filename"] == filename)
    }

    @Test func `keeps the order and what repeats`() {
        let result = ParameterizedValue.parse("text/xml; a=1; B=2; a=3")
        #expect(
            result
                == ParameterizedValue(
                    value: "text/xml",
                    parameters: [
                        .init(name: "a", value: "1"), .init(name: "b", value: "2"),
                        .init(name: "a", value: "3"),
                    ]))
        #expect(result["a"] == "1")
    }
}
