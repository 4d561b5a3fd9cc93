import Testing

@testable import tapedeck

@Suite struct QRCodeTests {
    /// As the Python library `qrcode` draws it, with the same mask.
    @Test func `draws what another implementation draws`() throws {
        let code = try #require(QRCode("http://tapedeck.test/"))
        #expect(
            code.lines == [
                "█████████████████████████████",
                "██ ▄▄▄▄▄ █▄▀ ▀ ███▄█ ▄▄▄▄▄ ██",
                "██ █   █ █   █▀  ▀▀█ █   █ ██",
                "██ █▄▄▄█ █▄█▀ ▄██▄ █ █▄▄▄█ ██",
                "██▄▄▄▄▄▄▄█▄█ █ █▄▀ █▄▄▄▄▄▄▄██",
                "██▄▄  ▀█▄█ █ ▄ █ ▄▄ █▀▄▄▄▀▄██",
                "██ ▀▀▀▄█▄▄   ▄▄▀█▀ ▄█ ▄▀▀████",
                "███▀▀ ▄▄▄█  ▄▀  ▀▀▀  ▀ █▄▄ ██",
                "██▀▄▄▀▄▄▄▄███ ██ ██ ▀ █▀▄▄▀██",
                "████▄███▄▄ ▀▄█▄█▄█ ▄▄▄ ▄▄▄ ██",
                "██ ▄▄▄▄▄ ████▀█  ▀ █▄█ ▄▄▄▄██",
                "██ █   █ █▀▀ ██▄▄█▄    █▀ ▀██",
                "██ █▄▄▄█ █ ▄▀▀▀▀ ▄█ ▄▄ ▄ ▄███",
                "██▄▄▄▄▄▄▄█▄▄▄▄██████▄▄▄▄▄▄▄██",
                "█████████████████████████████",
            ])
    }

    @Test func `takes as much as its largest version has`() throws {
        let most = try #require(QRCode(String(repeating: "x", count: 106)))
        #expect(most.size == 37)
        #expect(QRCode(String(repeating: "x", count: 107)) == nil)
        #expect(QRCode("")?.size == 21)
    }
}
