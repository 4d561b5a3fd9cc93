import Notation
import Testing
import Wire

@testable import OpenRosa

@Suite struct CommCareJSONTests {
    private func lines(_ text: String) -> [String] {
        let reading = Reading(text)
        return reading.events.map { $0.describedAsJSON().text() }
            + (reading.error.map { [$0.describedAsJSON().text()] } ?? [])
    }

    @Test func `a restore`() {
        let text =
            "<OpenRosaResponse xmlns='http://openrosa.org/http/response' items='6'>\n<message nature='ota_restore_success'>é \"q\"</message><Sync xmlns='http://commcarehq.org/sync'><restore_id>1</restore_id></Sync>\n<schema id='s'><indices><index>@id</index></indices></schema><fixture id='s' indexed='true' user_id='u'><a/></fixture>\n<case xmlns='http://commcarehq.org/case/transaction/v2' case_id='c' date_modified='d' user_id='u'><create><case_type>t</case_type><case_name>😀</case_name></create><update><a>1</a></update><close/><index><p case_type='t'>q</p></index><attachment><f/></attachment></case>\n<b:balance xmlns:b='http://commcarehq.org/ledger/v1' entity-id='c' date='d'><b:entry id='e' quantity='1'/></b:balance></OpenRosaResponse>"
        #expect(
            lines(text) == [
                #"{"event":"response","line":1,"column":1,"offset":0,"namespace":"http://openrosa.org/http/response","items":"6"}"#,
                #"{"event":"message","line":2,"column":1,"offset":71,"nature":"ota_restore_success","text":"é \"q\""}"#,
                #"{"event":"restore_id","line":2,"column":95,"offset":166,"restore_id":"1"}"#,
                #"{"event":"schema","line":3,"column":1,"offset":200,"id":"s","indices":["@id"]}"#,
                #"{"event":"fixture","line":3,"column":62,"offset":261,"id":"s","user_id":"u","indexed":true,"elements":1,"bytes":[261,318]}"#,
                #"{"event":"case","line":4,"column":1,"offset":319,"version":2,"case_id":"c","date_modified":"d","user_id":"u","create":{"case_type":"t","case_name":"😀"},"update":[{"name":"a","value":"1"}],"close":true,"index":[{"name":"p","case_type":"t","target":"q"}],"attachment":[{"name":"f"}]}"#,
                #"{"event":"ledger","line":5,"column":1,"offset":592,"kind":"balance","entity_id":"c","date":"d","entries":[{"id":"e","quantity":"1"}]}"#,
                #"{"event":"end","line":5,"column":138,"offset":729,"kind":"restore","children":6}"#,
            ])
    }

    @Test func `a form that breaks off`() {
        #expect(
            lines(
                "<f xmlns='urn:f' uiVersion='1'><p>a.jpg</p>\n<meta><instanceID>i</instanceID><x>1</x></meta>"
            ) == [
                #"{"event":"form","line":1,"column":1,"offset":0,"root":"f","namespace":"urn:f","ui_version":"1"}"#,
                #"{"event":"file","line":1,"column":32,"offset":31,"file":"a.jpg","element":"p"}"#,
                #"{"event":"meta","line":2,"column":1,"offset":44,"namespace":"urn:f","instance_id":"i","others":[{"name":"x","value":"1"}]}"#,
                #"{"event":"error","line":2,"column":48,"offset":91,"detail":"document ends inside <f>"}"#,
            ])
    }

    @Test func `lists, notes and what is passed over`() {
        #expect(
            lines("<forms><form url='u'>A</form><x a='1'><y/></x></forms>") == [
                #"{"event":"form_list","line":1,"column":1,"offset":0}"#,
                #"{"event":"listed_form","line":1,"column":8,"offset":7,"name":"A","download_url":"u"}"#,
                #"{"event":"other","line":1,"column":30,"offset":29,"name":"x","elements":1,"bytes":[29,46]}"#,
                #"{"event":"end","line":1,"column":55,"offset":54,"kind":"form-list","children":2}"#,
            ])
        #expect(
            lines("<manifest><mediaFile><filename>f</filename></mediaFile></manifest>") == [
                #"{"event":"note","line":1,"column":1,"offset":0,"code":"openrosa.namespace-missing","detail":"<manifest>"}"#,
                #"{"event":"manifest","line":1,"column":1,"offset":0}"#,
                #"{"event":"media_file","line":1,"column":11,"offset":10,"filename":"f"}"#,
                #"{"event":"note","line":1,"column":11,"offset":10,"code":"openrosa.media-file-incomplete","detail":"file \"f\""}"#,
                #"{"event":"end","line":1,"column":67,"offset":66,"kind":"manifest","children":1}"#,
            ])
        #expect(
            lines("<r><!-- >") == [
                #"{"event":"error","line":1,"column":10,"offset":9,"detail":"document ends inside <r>"}"#
            ])
    }
}
