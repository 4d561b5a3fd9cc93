/// The contents of a form, with the cases that it makes identified by their order in it rather than
/// by the identifiers that the device generated.
struct NumberedCases {
    /// The form with numbers; what is not a form stays what it is.
    private(set) var meaning: Meaning
    /// Identifiers of the cases that it makes, in order.
    private(set) var made: [String] = []
    /// Identifiers of the cases that it closes.
    private(set) var closed: [String] = []
    private var known: Set<String> = []

    init(_ meaning: Meaning) {
        self.meaning = meaning
        switch meaning {
        case .xml(let root):
            look(at: root)
            if !made.isEmpty { self.meaning = .xml(numbered(root)) }
        case .parts(var parts):
            guard let place = parts.firstIndex(where: { $0.name == "xml_submission_file" }),
                case .xml(let root) = parts[place].meaning
            else { return }
            look(at: root)
            guard !made.isEmpty else { return }
            parts[place].meaning = .xml(numbered(root))
            self.meaning = .parts(parts)
        default: break
        }
    }

    private mutating func look(at element: XMLElement) {
        // An answer has cases as well, which the server generated.
        guard element.name != "OpenRosaResponse" else { return }
        if element.name == "case" {
            let id =
                element.attributes.first { $0.name == "case_id" }?.value
                ?? element.child("case_id")?.text
            if let id, !id.isEmpty {
                let isMade = element.child("create") != nil && CaseBindings.isName(id)
                if isMade, known.insert(id).inserted { made.append(id) }
                if element.child("close") != nil { closed.append(id) }
            }
            return
        }
        for case .element(let child) in element.content { look(at: child) }
    }

    private func numbered(_ element: XMLElement) -> XMLElement {
        var names: [String: String] = [:]
        for (number, id) in made.enumerated() { names[id] = "case made here, \(number + 1)" }
        return element.renamed(names)
    }
}

extension XMLElement {
    /// The first element in it with this name.
    fileprivate func child(_ name: String) -> XMLElement? {
        for case .element(let child) in content where child.name == name { return child }
        return nil
    }

    fileprivate var text: String? {
        for case .text(let text) in content { return text }
        return nil
    }

    /// The same with other values where a whole one has a name.
    fileprivate func renamed(_ names: [String: String]) -> XMLElement {
        var result = self
        for index in attributes.indices {
            if let name = names[attributes[index].value] { result.attributes[index].value = name }
        }
        result.content = content.map { part in
            switch part {
            case .text(let text): names[text].map { .text($0) } ?? part
            case .element(let child): .element(child.renamed(names))
            }
        }
        return result
    }
}
