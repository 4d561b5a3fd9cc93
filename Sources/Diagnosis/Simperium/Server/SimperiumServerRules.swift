/// Rules about what a server of Simperium says.
public enum SimperiumServerRules {
    /// Every rule.
    public static let all: [Rule] = answers + changes + pages + forms
}
