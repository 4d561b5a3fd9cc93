import Notation

extension String {
    /// The text escaped for content and attributes of XML, white space included.
    var escapedForXML: String { Markup.escaped(self, keepsSpaces: false) }
}
