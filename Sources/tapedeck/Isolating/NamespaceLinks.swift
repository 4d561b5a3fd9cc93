import Notation

/// Interfaces of this machine that lead into a network namespace with a name.
enum NamespaceLinks {
    /// The names of the interfaces whose other end is in a namespace.
    ///
    /// - Parameters:
    ///   - name: The name of the namespace, as `ip netns` has it.
    ///   - namespaces: What `ip -json netns list-id` says.
    ///   - links: What `ip -json link` says.
    /// - Returns: In order; none where there is no such namespace, or no way into it.
    static func interfaces(
        into name: String, namespaces: String, links: String
    ) -> [String] {
        let numbers = objects(namespaces).compactMap { object in
            object["name"]?.string == name ? number(object["nsid"]) : nil
        }
        return objects(links).compactMap { object in
            guard let other = number(object["link_netnsid"]), numbers.contains(other) else {
                return nil
            }
            return object["ifname"]?.string
        }
    }

    /// Asks `ip`.
    ///
    /// - Throws: ``Failure`` where there is no way into the namespace.
    static func interfaces(into name: String) throws(Failure) -> [String] {
        let package = "iproute2"
        let found = interfaces(
            into: name,
            namespaces: try SystemProgram.run(
                "ip", ["-json", "netns", "list-id"], package: package),
            links: try SystemProgram.run("ip", ["-json", "link"], package: package))
        guard !found.isEmpty else {
            throw Failure(
                .unavailable,
                "no interface of this machine leads into a network namespace \(name); ip netns list-id "
                    + "names those that are connected")
        }
        return found
    }

    private static func objects(_ text: String) -> [JSONValue] {
        guard case .array(let elements)? = try? JSONValue(parsing: text) else { return [] }
        return elements
    }

    private static func number(_ value: JSONValue?) -> Int? {
        guard case .number(let text)? = value else { return nil }
        return Int(text)
    }
}
