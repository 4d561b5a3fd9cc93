import Testing

@testable import OpenRosa

@Suite struct CommCareFormTests {
    @Test(arguments: [
        ("", "urn:f"), (" xmlns='http://openrosa.org/jr/xforms'", "http://openrosa.org/jr/xforms"),
        (" xmlns='http://openrosa.org/xforms'", "http://openrosa.org/xforms"),
        (" xmlns='http://openrosa.org/xforms/'", "http://openrosa.org/xforms/"),
    ]) func `a form with its meta`(declaration: String, namespace: String) {
        let text = """
            <?xml version='1.0'?><data xmlns="urn:f" name="Visite à domicile" version="7" uiVersion="1" id="x">
            <photo>img-😀.JPG</photo><note>see photo.jpg</note><mail>a@b.com</mail><dir>x/y.jpg</dir><dot>.jpg</dot>
            <group><q>1</q><deep><case case_id="c" date_modified="2024-01-01" user_id="u" xmlns="http://commcarehq.org/case/transaction/v2"><update><a>1</a></update><attachment><p src="b.png" from="local"/><r src="http://x/y.png" from="remote"/></attachment></case></deep></group>
            <meta\(declaration)><deviceID>d</deviceID><timeStart>s</timeStart><timeEnd>e</timeEnd>
            <username>zoé</username><userID>u</userID><instanceID>i-1</instanceID><appVersion>2.53 😀</appVersion><drift>0</drift><deprecatedID>o</deprecatedID><geo>1 2</geo></meta></data>
            """
        for purpose in [OpenRosaReader.Purpose.any, .submission] {
            let reading = Reading(text, purpose: purpose)
            #expect(reading.codes == [])
            #expect(reading.end?.kind == .form)
            var meta = FormMeta()
            meta.namespace = namespace
            meta.instanceID = "i-1"
            meta.deprecatedID = "o"
            meta.deviceID = "d"
            meta.timeStart = "s"
            meta.timeEnd = "e"
            meta.username = "zoé"
            meta.userID = "u"
            meta.appVersion = "2.53 😀"
            meta.drift = "0"
            meta.others = [.init("geo", "1 2")]
            meta.position = place(of: "<meta", in: text) ?? .start
            let block = place(of: "<case", in: text) ?? .start
            #expect(
                reading.said == [
                    .form(
                        FormInstance(
                            root: "data", namespace: "urn:f", name: "Visite à domicile",
                            version: "7", uiVersion: "1", id: "x",
                            position: place(of: "<data", in: text) ?? .start)),
                    .file(
                        FileReference(
                            file: "img-😀.JPG", element: "photo",
                            position: place(of: "<photo", in: text) ?? .start)),
                    .caseBlock(
                        CaseBlock(
                            caseID: "c", dateModified: "2024-01-01", userID: "u",
                            update: [.init("a", "1")],
                            attachments: [
                                .init(name: "p", src: "b.png", from: "local"),
                                .init(name: "r", src: "http://x/y.png", from: "remote"),
                            ], position: block)),
                    .file(FileReference(file: "b.png", element: "p", position: block)),
                    .meta(meta),
                ])
            #expect(Reading(singles(Array(text.utf8)), purpose: purpose) == reading)
        }
    }

    @Test func `case blocks of version 1`() {
        let text = form(
            """
            <case><case_id> old-1 </case_id><date_modified>2011-01-01</date_modified>
            <create><case_type_id>t</case_type_id><user_id>u</user_id><case_name>n</case_name><external_id>é</external_id><x>1</x></create>
            <update><owner_id>o</owner_id></update><close/></case>
            """)
        var expected = CaseBlock(
            version: .one, caseID: "old-1", dateModified: "2011-01-01", userID: "u",
            create: .init(
                caseType: "t", caseName: "n", externalID: "é", others: [.init("x", "1")]),
            update: [.init("owner_id", "o")], isClosed: true)
        expected.position = place(of: "<case", in: text) ?? .start
        #expect(Reading(text).blocks == [expected])
        #expect(Reading(text).codes == [])
    }

    @Test(arguments: [
        ("<case>a question</case>", [] as [String]), ("<case><q>no block</q></case>", []),
        (
            "<case><q/><case><case_id>1</case_id><date_modified>d</date_modified></case></case>",
            ["1"]
        ),
        ("<case>\(block("", id: "2"))</case>", ["2"]),
        ("<g><g><g>\(block("", id: "3"))\(block("", id: "4"))</g></g></g>", ["3", "4"]),
        (block(block("", id: "inner"), id: "5"), ["5"]),
    ]) func `questions named case, and blocks anywhere`(payload: String, ids: [String]) {
        let reading = Reading(form(payload))
        #expect(reading.blocks.map(\.caseID) == ids)
        #expect(reading.codes == [])
    }

    @Test func `blocks inside a device report are no cases`() {
        let block = "<case case_id='c' xmlns='http://commcarehq.org/case/transaction/v2'/>"
        let ledger =
            "<balance xmlns='http://commcarehq.org/ledger/v1' entity-id='c' date='d'><entry id='p' quantity='5'/></balance>"
        for (namespace, isReport) in [(FormInstance.deviceReport, true), ("http://a", false)] {
            let found = Reading(
                "<device_report xmlns='\(namespace)'><log_subreport><log>\(block)\(ledger)</log></log_subreport></device_report>"
            )
            let forms = found.events.compactMap {
                if case .form(let form) = $0 { form.namespace } else { nil }
            }
            #expect(found.blocks.isEmpty == isReport)
            #expect(found.ledgers.isEmpty == isReport)
            #expect(forms == [namespace])
        }
    }

    @Test func `ledgers`() {
        let text = form(
            """
            <g xmlns:l="http://commcarehq.org/ledger/v1"><l:transfer src="a" dest="b" date="d" section-id="s" type="t"><l:entry id="p" quantity="5"/><l:entry id="q" quantity="-1"/></l:transfer>
            <l:balance entity-id="c" date="d"><l:entry id="p"><l:value section-id="x" quantity="1"/><l:value section-id="y">2</l:value></l:entry></l:balance></g>
            """)
        let found = Reading(text)
        #expect(found.codes == [])
        #expect(
            found.ledgers == [
                LedgerBlock(
                    .transfer, source: "a", destination: "b", sectionID: "s", date: "d",
                    type: "t",
                    entries: [
                        .init(id: "p", quantity: "5", sectionID: "s"),
                        .init(id: "q", quantity: "-1", sectionID: "s"),
                    ], position: place(of: "<l:transfer", in: text) ?? .start),
                LedgerBlock(
                    .balance, entityID: "c", date: "d",
                    entries: [
                        .init(id: "p", quantity: "1", sectionID: "x"),
                        .init(id: "p", quantity: "2", sectionID: "y"),
                    ], position: place(of: "<l:balance", in: text) ?? .start),
            ])
    }

    @Test func `what is no form`() {
        let reading = Reading("<html><body>x<img>a.png</img></body></html>")
        #expect(
            reading.said == [
                .other(OtherElement(XMLName("html"), elements: 2, bytes: 0..<43))
            ])
        #expect(reading.end?.kind == .xml)
        #expect(reading.codes == [])
        let submitted = Reading("<html/>", purpose: .submission)
        #expect(submitted.codes == ["openrosa.xmlns-missing", "openrosa.meta-missing"])
    }

    @Test func `form lists`() {
        for declaration in [" xmlns='http://openrosa.org/xforms/xformsList'", ""] {
            let text =
                "<xforms\(declaration)><xform><formID>f</formID><name>Été 🌞</name><version>2</version><hash>md5:0</hash><descriptionText>d</descriptionText><downloadUrl>http://h/f</downloadUrl><manifestUrl>http://h/m</manifestUrl><descriptionUrl>u</descriptionUrl><x>1</x></xform><xforms-group><groupID>g</groupID></xforms-group></xforms>"
            let reading = Reading(text)
            guard reading.said.count == 3, case .listedForm(var found) = reading.said[1],
                case .other(let group) = reading.said[2]
            else {
                Issue.record("\(reading)")
                return
            }
            found.position = .start
            var expected = ListedForm()
            expected.name = "Été 🌞"
            expected.formID = "f"
            expected.version = "2"
            expected.hash = "md5:0"
            expected.downloadURL = "http://h/f"
            expected.manifestURL = "http://h/m"
            expected.descriptionText = "d"
            expected.descriptionURL = "u"
            expected.others = [.init("x", "1")]
            #expect(found == expected)
            #expect(group.name.local == "xforms-group")
            #expect(reading.codes == (declaration.isEmpty ? ["openrosa.namespace-missing"] : []))
            #expect(reading.end?.kind == .formList)
        }
        let old = Reading("<forms><form url='http://h/f'> Old é </form></forms>")
        guard case .listedForm(let found)? = old.said.last else {
            Issue.record("\(old)")
            return
        }
        #expect(found.name == "Old é")
        #expect(found.downloadURL == "http://h/f")
        #expect(old.codes == [])
    }

    @Test func `manifests`() {
        let reading = Reading(
            "<manifest xmlns='http://openrosa.org/xforms/xformsManifest'><mediaFile><filename>é.png</filename><hash>md5:1</hash><downloadUrl>http://h/é</downloadUrl></mediaFile></manifest>"
        )
        guard case .mediaFile(let file)? = reading.said.last else {
            Issue.record("\(reading)")
            return
        }
        #expect(file.filename == "é.png")
        #expect(file.hash == "md5:1")
        #expect(file.downloadURL == "http://h/é")
        #expect(reading.end?.kind == .manifest)
        #expect(reading.codes == [])
    }
}
