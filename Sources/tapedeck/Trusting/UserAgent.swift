/// What a program says that it is, for people.
enum UserAgent {
    /// Names in a `User-Agent`, the most telling first, and what they are called.
    ///
    /// Browsers name others for the sake of old servers: each is sought before those that it names.
    private static let programs: [(word: String, name: String)] = [
        ("Edg/", "Edge"), ("EdgA/", "Edge"), ("OPR/", "Opera"),
        ("SamsungBrowser/", "Samsung Internet"),
        ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"),
        ("HeadlessChrome/", "Chrome"), ("Chrome/", "Chrome"),
        ("CFNetwork/", "an app by Apple's CFNetwork"), ("Version/", "Safari"),
        ("okhttp/", "okhttp"), ("Dalvik/", "an app by Android's HttpURLConnection"),
        ("python-requests/", "Python requests"), ("Python-urllib/", "Python urllib"),
        ("aiohttp/", "Python aiohttp"), ("python-httpx/", "Python httpx"),
        ("Go-http-client/", "a Go program"), ("Java/", "a Java program"),
        ("Java-http-client/", "a Java program"), ("Apache-HttpClient/", "Apache HttpClient"),
        ("node-fetch/", "Node fetch"), ("undici", "Node"), ("axios/", "Node axios"),
        ("curl/", "curl"), ("Wget/", "Wget"), ("Ruby", "a Ruby program"),
    ]

    /// Names of systems, each before those that name it too.
    private static let systems: [(word: String, name: String)] = [
        ("iPhone", "an iPhone"), ("iPad", "an iPad"), ("Android ", "Android"),
        ("Android", "Android"),
        ("CrOS", "ChromeOS"), ("Windows NT", "Windows"), ("Mac OS X", "macOS"),
        ("Darwin/", "macOS or iOS"),
        ("Linux", "Linux"),
    ]

    /// A program, with the version where it says one, and its system.
    ///
    /// - Parameter text: The field, hostile; nil where there is none.
    /// - Returns: Such as `Chrome 141 on Android 14`; the field itself where it is unknown.
    static func text(_ text: String?) -> String {
        guard let text, !text.isEmpty else { return "a program that does not say what it is" }
        guard let program = programs.first(where: { text.contains($0.word) }) else {
            return String(text.prefix(100))
        }
        var words = program.name
        let isVersioned = program.word.hasSuffix("/") && !program.name.contains("by ")
        if isVersioned, let version = version(after: program.word, in: text) {
            words += " \(version)"
        }
        guard let system = systems.first(where: { text.contains($0.word) }) else { return words }
        words += " on \(system.name)"
        if system.name == "Android", let version = version(after: "Android ", in: text) {
            words += " \(version)"
        } else if system.name.hasPrefix("an iP"), let version = version(after: "OS ", in: text) {
            words += " with iOS \(version)"
        }
        return words
    }

    /// The digits behind a word: two numbers at most.
    private static func version(after word: String, in text: String) -> String? {
        guard let place = text.firstRange(of: word)?.upperBound else { return nil }
        let digits = text[place...].prefix { $0.isASCII && $0.isNumber || $0 == "." || $0 == "_" }
        let numbers = digits.split { $0 == "." || $0 == "_" }.prefix(2)
        guard let first = numbers.first else { return nil }
        // Browsers count with one number, and say nothing by the second.
        return numbers.count > 1 && numbers[1] != "0" ? "\(first).\(numbers[1])" : String(first)
    }
}
