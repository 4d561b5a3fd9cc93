import Notation

extension String {
    /// The text as it stands in content and attributes of XML, white space included.
    var escapedForXML: String { Markup.escaped(self, keepsSpaces: false) }
}
