// swift-tools-version: 6.2
import PackageDescription

/// The parsers of the program, compiled for libFuzzer; `Tools/fuzz` builds and runs them.
///
/// A package of its own, since every object has to be instrumented. `Sources` holds links to the
/// targets that are fuzzed; of `Interception`, `Formats`, `Faults` and `Proxying` only what needs
/// no library, and for swift-crypto, swift-collections and the reader of YAML there are stand-ins.
let house: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

let package = Package(
    name: "fuzzing",
    products: [.executable(name: "fuzz", targets: ["fuzz"])],
    targets: [
        .systemLibrary(name: "CZlib", pkgConfig: "zlib"),
        .systemLibrary(name: "CBrotli", pkgConfig: "libbrotlidec"),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd"),
        .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0"),
        .systemLibrary(name: "CPcap", pkgConfig: "libpcap"),
        .target(name: "Notation", swiftSettings: house),
        .target(
            name: "Assistants", dependencies: ["Notation"], exclude: ["Assistants.md"],
            swiftSettings: house),
        .target(name: "Platform", swiftSettings: house),
        .target(name: "Wire", dependencies: ["Notation"], swiftSettings: house),
        .target(
            name: "Capturing", dependencies: ["Notation", "Wire", "Platform", "CPcap"],
            swiftSettings: house),
        .target(
            name: "Framing", dependencies: ["Notation", "Wire", "CZlib", "CBrotli", "CZstd"],
            swiftSettings: house),
        .target(name: "Crypto", swiftSettings: house),
        .target(
            name: "OpenRosa", dependencies: ["Notation", "Wire", "CLibXML2", "Crypto"],
            exclude: ["Codes/CodeTable.md", "Specification.md"], swiftSettings: house),
        .target(
            name: "Simperium", dependencies: ["Notation", "Wire"],
            exclude: ["Specification.md"], swiftSettings: house),
        .target(
            name: "Filters", exclude: ["Filters.md"],
            swiftSettings: house),
        .target(
            name: "Addons", dependencies: ["Notation", "Wire", "Platform", "Filters"],
            swiftSettings: house),
        .target(name: "Interception", swiftSettings: house),
        .target(name: "Formats", dependencies: ["Wire"], swiftSettings: house),
        .target(
            name: "Dissection",
            dependencies: ["Notation", "Wire", "Framing", "OpenRosa", "Simperium"],
            exclude: ["Notes.md"], swiftSettings: house),
        .target(name: "DequeModule", swiftSettings: house),
        .target(
            name: "Faults",
            dependencies: [
                "Notation", "Wire", "Framing", "Filters", "OpenRosa", "Simperium", "Dissection",
                "DequeModule",
            ],
            swiftSettings: house),
        // Worlds look into a connection as tests do.
        .target(
            name: "Proxying",
            dependencies: [
                "Wire", "Framing", "Faults", "OpenRosa", "Interception", "DequeModule", "Notation",
                "Platform", "Crypto",
            ],
            swiftSettings: house + [.unsafeFlags(["-enable-testing"])]),
        .target(
            name: "ConnectionWorld",
            dependencies: ["Proxying", "Faults", "Dissection", "Framing", "Notation", "Wire"],
            swiftSettings: house),
        .executableTarget(
            name: "fuzz",
            dependencies: [
                "Notation", "Wire", "Framing", "OpenRosa", "Simperium", "Filters", "Interception",
                "Capturing", "Formats", "Addons", "Faults", "ConnectionWorld", "Assistants",
            ],
            // libFuzzer brings `main`.
            swiftSettings: house + [.unsafeFlags(["-parse-as-library"])]),
    ]
)
