"""A client with two habits, good and bad, tested with the fixture of the wheel."""

import urllib.error
import urllib.request

import pytest

FORM = """<?xml version="1.0"?>
<data xmlns="http://example.org/visit" uiVersion="1" version="1" name="Visit">
  <meta xmlns="http://openrosa.org/jr/xforms">
    <deviceID>device-1</deviceID><timeStart>2026-01-15T09:58:00.000Z</timeStart>
    <timeEnd>2026-01-15T10:00:00.000Z</timeEnd><username>ann</username><userID>ann</userID>
    <instanceID>7f4c1a52-7a04-4c0e-9d58-0d5f1a1c2b3d</instanceID>
  </meta>
</data>"""


def submit(url: str) -> int:
    """Sends the form as a device does; the status."""
    boundary = "a-boundary"
    body = (f'--{boundary}\r\nContent-Disposition: form-data; name="xml_submission_file"; '
            f'filename="form.xml"\r\nContent-Type: text/xml\r\n\r\n{FORM}\r\n--{boundary}--\r\n')
    request = urllib.request.Request(url + "/a/demo/receiver/", body.encode(), {
        "Content-Type": f"multipart/form-data; boundary={boundary}", "X-OpenRosa-Version": "3.0",
        "Authorization": "Basic YW5uOnNlY3JldA=="})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        return opener.open(request, timeout=30).status
    except urllib.error.HTTPError as answer:
        return answer.code


def test_serves_and_records(tapedeck):
    """Without a mark there is a server, and everything is recorded."""
    assert submit(tapedeck.url) == 201
    (row,) = tapedeck.exchanges("api:commcare.submit")
    assert row["status"] == 201
    tapedeck.assert_no_findings()


@pytest.mark.tapedeck(faults=["method:POST => 503 first=1"])
def test_a_client_that_tries_again_recovers(tapedeck):
    """A form that is refused once and sent again is no loss."""
    assert submit(tapedeck.url) == 503
    assert submit(tapedeck.url) == 201
    tapedeck.assert_recovered()


@pytest.mark.tapedeck(faults=["method:POST => 422 first=1"])
def test_a_finding_is_named(tapedeck):
    """What is wrong with the same form again, at once, has a name."""
    assert submit(tapedeck.url) == 422
    assert submit(tapedeck.url) == 201
    assert tapedeck.findings()
