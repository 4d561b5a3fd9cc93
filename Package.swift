// swift-tools-version: 6.2
import PackageDescription

/// Whether `Tools/build tests` builds.
///
/// It builds each target as a whole, and optimizes those of others and those that tests spend their time
/// in; the rest would take longer to optimize than it takes otherwise.
let isForTests = Context.environment["TAPEDECK_TESTS"] == "yes"

/// Settings that every target of ours shares.
let shared: [SwiftSetting] = [
    .swiftLanguageMode(.v6),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .treatAllWarnings(as: .error),
]

/// Those of most targets.
let house = isForTests ? shared + [.unsafeFlags(["-Onone"])] : shared

/// Those of the targets that long random sessions spend their time in.
///
/// With `TAPEDECK_OPTIMIZED=yes`, as `Tools/build` sets it, these are optimized in debug builds, too:
/// 56 sessions of 2,000 edits then take a quarter of the time, and the build takes half a minute
/// longer. Debuggers see less.
let model: [SwiftSetting] =
    Context.environment["TAPEDECK_OPTIMIZED"] == "yes" && !isForTests
    ? shared + [.unsafeFlags(["-O"])] : shared

/// Those that tests of all kinds, and programs in them, spend their time in: optimized where tests are
/// built to run once.
///
/// Others that could be of them take longer to optimize than they save.
let busy = shared

let nioCore = Target.Dependency.product(name: "NIOCore", package: "swift-nio")
let nioPosix = Target.Dependency.product(name: "NIOPosix", package: "swift-nio")
let nioEmbedded = Target.Dependency.product(name: "NIOEmbedded", package: "swift-nio")
let nioHTTP1 = Target.Dependency.product(name: "NIOHTTP1", package: "swift-nio")
let nioWebSocket = Target.Dependency.product(name: "NIOWebSocket", package: "swift-nio")
let nioTLS = Target.Dependency.product(name: "NIOTLS", package: "swift-nio")
let nioSSL = Target.Dependency.product(name: "NIOSSL", package: "swift-nio-ssl")
let x509 = Target.Dependency.product(name: "X509", package: "swift-certificates")
let asn1 = Target.Dependency.product(name: "SwiftASN1", package: "swift-asn1")
let deque = Target.Dependency.product(name: "DequeModule", package: "swift-collections")
let crypto = Target.Dependency.product(name: "Crypto", package: "swift-crypto")
let cryptoExtras = Target.Dependency.product(name: "CryptoExtras", package: "swift-crypto")
let yams = Target.Dependency.product(name: "Yams", package: "Yams")
let argumentParser = Target.Dependency.product(
    name: "ArgumentParser", package: "swift-argument-parser")

/// A target of ours; what it may import is checked by `Tools/check`.
func room(
    _ name: String, _ dependencies: [Target.Dependency] = [], _ settings: [SwiftSetting] = house
) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: settings)
}

/// The tests of one target, with what only tests need.
func tests(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.init(stringLiteral: name)] + dependencies,
        swiftSettings: house)
}

let package = Package(
    name: "tapedeck",
    products: [
        .executable(name: "tapedeck", targets: ["tapedeck"]),
        .library(name: "TapedeckHTTPLayer", targets: ["HTTPLayer", "Notation"]),
        .library(name: "TapedeckSimperium", targets: ["Simperium", "Notation", "Wire"]),
        .library(name: "TapedeckOpenRosa", targets: ["OpenRosa", "Notation", "Wire"]),
        .library(
            name: "TapedeckTrace", targets: ["Trace", "Dissection", "Filters", "Notation", "Wire"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-nio", from: "2.101.2"),
        .package(url: "https://github.com/apple/swift-nio-ssl", from: "2.37.6"),
        .package(url: "https://github.com/apple/swift-certificates", from: "1.21.1"),
        .package(url: "https://github.com/apple/swift-asn1", from: "1.7.4"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
        .systemLibrary(
            name: "CBrotli", pkgConfig: "libbrotlidec", providers: [.apt(["libbrotli-dev"])]),
        .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
        .systemLibrary(
            name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(name: "CPcap", pkgConfig: "libpcap", providers: [.apt(["libpcap-dev"])]),
        .target(name: "CurlShim", dependencies: ["CCurl"]),
        .systemLibrary(name: "CLua", pkgConfig: "lua5.4", providers: [.apt(["liblua5.4-dev"])]),
        .target(name: "LuaShim", dependencies: ["CLua"]),
        room("Platform"),
        .target(name: "Notation", swiftSettings: model),
        .target(name: "Wire", dependencies: ["Notation"], swiftSettings: model),
        room("Reports", ["Notation"]),
        room("Storage", ["CSQLite"], busy),
        room("BoundedYAML", [yams]),
        .target(
            name: "HTTPLayer",
            dependencies: ["Platform", "Notation", "Wire", "CCurl", "CurlShim", "CZlib"],
            exclude: ["Specification.md"], swiftSettings: house),
        room(
            "SyncClients",
            [
                "Platform", "Notation", "Wire", "Framing", "OpenRosa", "Simperium", "Replaying",
                "HTTPLayer", "Storage", "Interception", "CSQLite", nioCore, nioPosix, nioSSL,
            ]),
        room("Framing", ["Notation", "Wire", "CZlib", "CBrotli", "CZstd"], busy),
        .target(
            name: "OpenRosa", dependencies: ["Notation", "Wire", "CLibXML2", crypto],
            exclude: ["Codes/CodeTable.md", "Specification.md"], swiftSettings: busy),
        .target(
            name: "Simperium", dependencies: ["Notation", "Wire"],
            exclude: ["Specification.md"], swiftSettings: model),
        .target(
            name: "Dissection",
            dependencies: ["Notation", "Wire", "Framing", "OpenRosa", "Simperium"],
            exclude: ["Notes.md"], swiftSettings: busy),
        .target(name: "Filters", exclude: ["Filters.md"], swiftSettings: busy),
        .target(
            name: "Trace",
            dependencies: [
                "Platform", "Notation", "Wire", "Framing", "Dissection", "Filters", "Storage",
                "CSQLite",
            ],
            exclude: ["TraceFormat.md", "TwoSides.md"], swiftSettings: house),
        .target(
            name: "Faults",
            dependencies: [
                "Notation", "Wire", "Framing", "Filters", "OpenRosa", "Simperium", "Dissection",
                "BoundedYAML", deque, yams,
            ],
            exclude: ["Faults.md", "faults.schema.json"],
            resources: [.embedInCode("Packs")], swiftSettings: busy),
        .target(
            name: "Diagnosis",
            dependencies: ["Notation", "Wire", "Framing", "OpenRosa", "Simperium", "Dissection"],
            exclude: ["Rules.md", "Catalogue.md"], swiftSettings: house),
        room("Interception", ["Platform", nioSSL, nioCore, x509, asn1, crypto]),
        room(
            "Proxying",
            [
                "Platform", "Notation", "Wire", "Framing", "Faults", "OpenRosa", "Interception",
                crypto,
                deque, nioCore, nioPosix, nioSSL, nioTLS,
            ], busy),
        room("Replaying", ["Notation", "Reports", "Wire", "OpenRosa", "Simperium"]),
        room(
            "Sessions",
            [
                "Platform", "Notation", "Wire", "Framing", "Simperium", "Dissection", "Trace",
                "Diagnosis", "Replaying", "Faults",
            ]),
        room("Capturing", ["Platform", "Notation", "Wire", "CPcap", crypto, cryptoExtras]),
        .target(
            name: "Formats",
            dependencies: [
                "Platform", "Notation", "Wire", "Framing", "Capturing", "Dissection", "Filters",
                "Trace", "Storage", "CSQLite", crypto,
            ],
            exclude: ["Formats.md"], swiftSettings: house),
        .target(
            name: "Redaction",
            dependencies: [
                "Notation", "Wire", "Framing", "Simperium", "Trace", "Storage", crypto,
            ],
            exclude: ["Redaction.md"], swiftSettings: house),
        .target(
            name: "Fleet",
            dependencies: [
                "Platform", "Notation", "Wire", "Filters", "Dissection", "Trace", "Formats",
                "Storage", "Redaction", "CSQLite", "CCurl", "CurlShim", crypto,
            ],
            exclude: ["Fleet.md", "FleetSchema.md"], swiftSettings: house),
        .target(
            name: "Addons",
            dependencies: [
                "Platform", "Notation", "Wire", "Dissection", "Filters", "Faults", "Formats",
                "LuaShim",
            ],
            exclude: ["Addons.md", "addons.schema.json", "Python"], swiftSettings: house),
        .target(
            name: "Assistants", dependencies: ["Notation"], exclude: ["Assistants.md"],
            swiftSettings: house),
        .target(
            name: "Pages", dependencies: ["Notation", crypto],
            resources: [.embedInCode("Report"), .embedInCode("Inspector")], swiftSettings: house),
        .target(
            name: "Inspection",
            dependencies: [
                "Platform", "Notation", "Wire", "Filters", "Dissection", "Diagnosis", "Trace",
                "Formats", "Pages", "Serving", "Control", nioCore, nioPosix, nioWebSocket,
            ],
            resources: [.embedInCode("openapi.json")], swiftSettings: house),
        .target(
            name: "Control",
            dependencies: ["Platform", "Notation", "Wire", "Filters", "Faults", "Serving"],
            resources: [.embedInCode("openapi.json")], swiftSettings: house),
        room(
            "Serving",
            [
                "Platform", "Notation", "Framing", "Interception", nioCore, nioPosix, nioSSL,
                nioHTTP1, nioWebSocket,
            ]),
        room(
            "SyncServers",
            [
                "Platform", "Notation", "Wire", "Framing", "OpenRosa", "Simperium", "Replaying",
                "Serving", nioCore, nioPosix, nioSSL, "Interception", "Storage", "CSQLite",
                "BoundedYAML", yams, nioWebSocket,
            ]),
        room(
            "Certification",
            [
                "Notation", "Wire", "Dissection", "Filters", "Faults", "Diagnosis", "Trace",
                "Interception", "Reports", "Proxying", "SyncServers",
            ]),
        room(
            "Reproduction",
            [
                "Notation", "Wire", "Simperium", "OpenRosa", "Dissection", "Filters", "Faults",
                "Diagnosis", "Trace", "Replaying", "Sessions", "Redaction", "SyncServers",
                "Certification",
            ]),
        .executableTarget(
            name: "tapedeck",
            dependencies: [
                "Platform", "Notation", "Wire", "Framing", "OpenRosa", "Simperium", "Dissection",
                "Filters", "Faults", "Diagnosis", "Trace", "Interception", "Proxying", "Control",
                "Formats", "Redaction", "Capturing", "Reports", "Sessions", "Replaying",
                "SyncServers",
                "SyncClients", "Certification", "Reproduction", "HTTPLayer", "CCurl", "CurlShim",
                "Addons", "Pages", "Inspection", "Assistants", "Storage", "CSQLite", "Fleet",
                argumentParser,
            ],
            exclude: ["CommandLine.md", "Elsewhere.md", "Mitmproxy.md", "Stability.md"],
            resources: [.embedInCode("Help/Topics")], swiftSettings: house),
        .executableTarget(
            name: "decoding", dependencies: ["Notation", "Wire", "Simperium", "OpenRosa"],
            path: "Tools/benching/decoding", swiftSettings: house),
        .target(
            name: "ConvergenceWorld", dependencies: ["Platform", "Notation", "Wire", "Simperium"],
            path: "Tests/Support/ConvergenceWorld", swiftSettings: model),
        .target(
            name: "FaultWorld",
            dependencies: [
                "Faults", "Notation", "Wire", "Framing", "Simperium", "Proxying",
                "ConvergenceWorld",
            ],
            path: "Tests/Support/FaultWorld", swiftSettings: busy),
        .target(
            name: "TraceWorld", dependencies: ["Wire", "Trace", "Storage", "CSQLite"],
            path: "Tests/Support/TraceWorld", swiftSettings: house),
        .target(
            name: "ConnectionWorld",
            dependencies: ["Proxying", "Faults", "Dissection", "Framing", "Notation", "Wire"],
            path: "Tests/Support/ConnectionWorld", swiftSettings: busy),
        tests("Platform"),
        tests("Notation"),
        tests("Wire", ["Notation"]),
        tests("Reports"),
        tests("BoundedYAML", [yams]),
        .testTarget(
            name: "FramingTests",
            dependencies: ["Framing", "Notation", "Wire", nioCore, nioEmbedded, nioHTTP1],
            exclude: ["WebSocket/Vectors"], swiftSettings: house),
        tests("OpenRosa", ["Notation", "Wire"]),
        tests("Simperium", ["Notation", "Wire", "ConvergenceWorld"]),
        tests("Dissection", ["Notation", "Wire", "Framing", "Simperium", "OpenRosa"]),
        tests("Filters", ["Notation"]),
        tests("Inspection", ["Filters", "Notation", "Trace", "Wire"]),
        tests(
            "Diagnosis",
            [
                "Notation", "Wire", "Framing", "OpenRosa", "Simperium", "Dissection", "Faults",
                "Trace", "Proxying", "Sessions", "ConvergenceWorld",
            ]),
        tests(
            "Trace",
            [
                "Notation", "Wire", "Platform", "Dissection", "Filters", "Faults", "Storage",
                "CSQLite", "Fleet", "TraceWorld",
            ]),
        tests(
            "Interception",
            ["Platform", nioCore, nioPosix, nioEmbedded, nioSSL, nioTLS, x509, asn1, crypto]),
        .testTarget(
            name: "FaultsTests",
            dependencies: [
                "Faults", "Notation", "Wire", "Framing", "Filters", "Simperium", "Dissection",
                "ConvergenceWorld", "FaultWorld",
            ],
            swiftSettings: house),
        tests(
            "Proxying",
            [
                "Wire", "Faults", "Filters", nioCore, nioPosix, nioEmbedded, "ConnectionWorld",
                "ConvergenceWorld",
            ]),
        // The harnesses of Tools/fuzzing with the inputs that are kept; libFuzzer brings `main`.
        .testTarget(
            name: "FuzzingTests",
            dependencies: [
                "Notation", "Wire", "Framing", "OpenRosa", "Simperium", "Filters", "Interception",
                "Capturing", "Formats", "Addons", "Faults", "ConnectionWorld", "Assistants",
            ],
            exclude: ["Harnesses/Main.swift"], swiftSettings: house),
        tests("Replaying", ["Notation", "Wire", "OpenRosa", "Simperium", "ConvergenceWorld"]),
        .testTarget(
            name: "CapturingTests", dependencies: ["Capturing", "Platform", "Notation", "Wire"],
            exclude: ["TLS/Vectors"], swiftSettings: house),
        .testTarget(
            name: "FormatsTests",
            dependencies: [
                "Formats", "Platform", "Trace", "Notation", "Wire", "Capturing", "Filters",
                "Dissection", "TraceWorld",
            ],
            exclude: ["Recordings/FirstVersion"], swiftSettings: house),
        tests(
            "Redaction",
            ["Notation", "Wire", "Framing", "Trace", "Storage", "CSQLite", "TraceWorld"]),
        tests("Fleet", ["Filters"]),
        tests("Control", ["Notation", "Wire", "Faults", "Filters"]),
        tests("Addons", ["Notation", "Wire", "Faults", "Filters", "Dissection"]),
        tests("Pages", ["Notation"]),
        tests("Assistants", ["Notation"]),
        tests("HTTPLayer", ["Platform", "Notation", "Wire", "CZlib"]),
        tests(
            "SyncClients",
            [
                "Platform", "Notation", "Wire", "Framing", "Simperium", "OpenRosa", "Replaying",
                "HTTPLayer", "Storage", nioCore, nioPosix, nioEmbedded,
            ]),
        tests("Serving", [nioCore, nioPosix, nioEmbedded, nioHTTP1]),
        tests(
            "SyncServers",
            [
                "Notation", "Wire", "Framing", "Simperium", "OpenRosa", "Replaying", "Serving",
                "Storage", nioCore, nioPosix,
            ]),
        tests(
            "Certification",
            [
                "Notation", "Wire", "Faults", "Filters", "Diagnosis", "SyncServers", "TraceWorld",
            ]),
        tests(
            "Reproduction",
            [
                "Notation", "Wire", "Simperium", "Replaying", "Certification", "Diagnosis",
            ]),
        tests(
            "Sessions",
            [
                "Notation", "Wire", "Storage", "Trace", "Dissection", "Diagnosis", "Replaying",
                "Faults",
                "ConvergenceWorld", "FaultWorld", "TraceWorld",
            ]),
        tests(
            "tapedeck",
            [
                "Notation", "Sessions", "Wire", "Trace", "Dissection", "Diagnosis", "Replaying",
                "Faults", "OpenRosa", "Formats", "Storage", "CSQLite", "TraceWorld", "Simperium",
                "Serving", "SyncServers", "Interception", "Filters", "ConvergenceWorld",
                "FaultWorld", "Proxying",
                argumentParser,
            ]),
    ]
)
