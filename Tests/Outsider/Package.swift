// swift-tools-version: 6.2
import PackageDescription

/// A program of somebody else that uses the libraries, as `Tools/libraries try` builds and runs it.
let package = Package(
    name: "outsider",
    dependencies: [.package(name: "tapedeck", path: "../..")],
    targets: [
        .executableTarget(
            name: "outsider",
            dependencies: [
                .product(name: "TapedeckHTTPLayer", package: "tapedeck"),
                .product(name: "TapedeckSimperium", package: "tapedeck"),
                .product(name: "TapedeckOpenRosa", package: "tapedeck"),
                .product(name: "TapedeckTrace", package: "tapedeck"),
            ], swiftSettings: [.swiftLanguageMode(.v6)])
    ]
)
