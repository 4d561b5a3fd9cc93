// Written by Tools/pages.

extension InspectorPage {
    /// The files by name.
    static let files: [String: File] = [
        "main.js": File(type: .script, bytes: PackageResources.main_js),
        "page.html": File(type: .html, bytes: PackageResources.page_html),
        "style.css": File(type: .css, bytes: PackageResources.style_css),
    ]
}
