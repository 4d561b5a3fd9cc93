"""What users can get wrong: a catalogue of command lines that have to be refused, and their files.

A line is written as for a shell, though none reads it: `NAME=value` in front sets the environment,
`< FILE` at the end is standard input. TAKEN is the port of a listener of the test.
"""

from __future__ import annotations

import shlex
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path

RECORDINGS = Path(__file__).resolve().parents[2] / "Recordings"

# Files that a line may name; each line gets copies of those that it names.
TEXTS = {
    "text.tape": "This is a text, and somebody needs it.\n" * 100,
    "empty.tape": "",
    "broken.json": '{"a": 1,',
    "list.json": "[1, 2]",
    "broken.har": '{"log": {"version": "1.2", "entries": [{"request": 7}]}}',
    "broken.pcap": "\xd4\xc3\xb2\xa1\x02\x00",
    "plain.txt": "plain text\n",
    "broken.xml": "<data><a></b></data>",
    "form.xml": '<data xmlns="urn:form"><meta><instanceID>uuid:1</instanceID></meta></data>',
    "nameless.xml": '<data xmlns="urn:form"><name>Ada</name></data>',
    "not-yaml.yaml": "rules: [\n",
    "unknown-key.yaml": "rules:\n  - filter: status:503\n    action: close\n    often: 3\n",
    "unknown-action.yaml": "rules:\n  - filter: api:commcare.restore\n    action: explode\n",
    "same-name.yaml": "rules:\n  - {name: a, action: close}\n  - {name: a, action: reset}\n",
    "text-plan.yaml": "just a text\n",
    "accounts-key.yaml": "nobody: 7\n",
    "accounts-broken.yaml": "users: [\n",
    "plain.pem": "This is no certificate.\n",
    "unknown-step.txt": "set notes a {}\nfly away\n",
    "broken-step.txt": "set notes a {\n",
    "folder/file.txt": "something of a user\n",
    "recording-folder/recording.json": '{"tapedeck": 99}\n',
}

# Clients of a server that is not there.
COMMCARE = "--to http://127.0.0.1:1 --domain demo --user ada --state s"
SIMPERIUM = "--app app --bucket notes --token x"

# Command: the lines that it has to refuse, without `tapedeck COMMAND`.
CATALOGUE: dict[str, list[str]] = {
    "": ["nonsense", "--nonsense", "record-all x.tape", "recrod x.tape",
         "help filter", "help nonsense"],
    "addon": [
        "", "true", "true missing.tape", "true text.tape", "true good.tape 'stauts:4'",
        "true good.tape --deadline soon", "true good.tape", "'exit 3' good.tape", "'echo {}' good.tape",
        "./no-such-program good.tape"],
    "record": [
        "", "x.tape y.tape", "x.tape --nonsense", "x.tape --listen",
        "x.tape --listen 127.0.0.1:99999", "x.tape --listen 203.0.113.1:0",
        "x.tape --listen 127.0.0.1:TAKEN", "x.tape --to 127.0.0.1:80", "x.tape --to http://",
        "x.tape --to http://h/path?query", "x.tape --keep-host", "x.tape --host a.example",
        "x.tape --ca-dir plain.txt", "x.tape --server-ca missing.pem",
        "x.tape --server-ca plain.pem", "x.tape --keylog no/such/folder/keys.log",
        "x.tape --keylog folder", "x.tape --faults missing.yaml", "x.tape --faults not-yaml.yaml",
        "x.tape --faults unknown-key.yaml", "x.tape --faults unknown-action.yaml",
        "x.tape --fault 'nonsense'", "x.tape --fault 'api:commcare.restore => explode'",
        "x.tape --seed many", "x.tape --seed -1",
        "x.tape --listen 127.0.0.1:0 --control-listen 0.0.0.0:0",
        "x.tape --listen 127.0.0.1:0 --control-listen 203.0.113.1:0", "x.tape --control-listen x",
        "x.tape --no-control --control-listen 127.0.0.1:0",
        "x.tape --listen 127.0.0.1:0 --control plain.txt",
        "x.tape --listen 127.0.0.1:0 --control no/such/folder/socket", "x.tape --max-size many",
        "x.tape --max-size 0", "x.tape --keep-last '1 fortnight'", "x.tape --keep-last -5m",
        "x.tape --listen 127.0.0.1:7399 --to http://localhost:7399", "x.tape -p 8080",
        "x.tape --listen socks5://", "x.tape --listen socks5://:x@127.0.0.1:0",
        "x.tape --listen reverse:8081", "x.tape --listen reverse:8081=ftp://a.example",
        "x.tape --listen http://127.0.0.1:0 --to http://127.0.0.1:1",
        "x.tape --listen reverse:7399=http://127.0.0.1:7399",
        "x.tape --isolate", "x.tape --isolate --to http://127.0.0.1:1 -- true",
        "x.tape --upstream proxy.example:3128", "x.tape --upstream ftp://a.example",
        "x.tape --upstream direct", "x.tape --resolve a.example:443", "x.tape --bind localhost",
        "x.tape --resolve a.example:443:b.example", "x.tape --tls-min 2",
        "x.tape --client-certificate missing.pem", "x.tape --client-certificate plain.txt",
        "x.tape --mode reverse:http://127.0.0.1:1", "x.tape --fail-on nonsense",
        "x.tape --only https://a.example/", "x.tape --passthrough 'a b'",
        "x.tape --ship http://a.example", "x.tape --label app=3.2", "x.tape --ship clickhouse://a/b --label app",
        "x.tape -- no-such-program-here", "x.tape --on-disk-full explode", "x.tape --memory none", "text.tape", "other.tape",
        "newer.tape", "older.tape", "folder", "no/such/folder.tape", "''",
    ],
    "redirect": [
        "", "--port 8080", "--port 0 --user app", "--port many --user app", "--user app",
        "--port 8080 --user 'a b'", "--port 8080 --user app --server 70000", "nonsense",
        "--port 8080 --user app --server 8080 --tproxy", "--port 8080 --namespace 'a b'",
    ],
    "ls": [
        "", "missing.tape", "text.tape", "other.tape", "newer.tape", "older.tape", "empty.tape",
        "folder", "good.tape --limit -1", "good.tape --limit many", "good.tape nonsense:1",
        "good.tape -status:200", "good.tape '~m POST & ~u restore'",
        "good.tape status:many", "good.tape status:503 and", "good.tape '(status:503'",
        "good.tape 'status:503)'", "good.tape 'size>many'", "good.tape 'at:3s..1s'",
        "good.tape 'at:yesterday'", "good.tape 'text:\"never ends'", "good.tape 'sender:nobody'",
        "good.tape 'host>a'", "good.tape 'status::5'", "good.tape 'header.:a'",
    ],
    "show": [
        "", "good.tape", "good.tape x", "good.tape 9999", "good.tape c9999", "good.tape 0",
        "good.tape 1 --side nobody", "good.tape 1 --raw --json", "good.tape c1 --curl",
        "good.tape k1 --raw", "missing.tape 1", "text.tape 1",
    ],
    "tail": ["", "missing.tape", "good.tape nonsense:1"],
    "rebuild": [
        "", "missing.tape", "text.tape", "newer.tape", "older.tape", "empty.tape",
        "good.tape more.tape", "folder",
    ],
    "ship": [
        "", "good.tape", "--follow folder", "good.tape --follow folder --to clickhouse://a/b",
        "good.tape --to http://a.example/", "good.tape --to clickhouse://a:b@c/d", "good.tape --to clickhouse://a/b-c",
        "good.tape --to clickhouse://a/b?tls=1", "good.tape --to clickhouse://a:many/b", "good.tape --to clickhouse://127.0.0.1:1/b",
        "good.tape --to clickhouse://a/b --label app", "good.tape --to clickhouse://a/b --label 'a b=1'",
        "good.tape --to clickhouse://a/b --every 5s", "good.tape --to clickhouse://a/b --keep 30d", "--keep soon --to clickhouse://a/b",
        "good.tape --to clickhouse://a/b --no-redact --redact-name x", "good.tape --to clickhouse://a/b --redaction-key missing.key",
        "good.tape --to clickhouse://a/b --redaction-key plain.txt", "good.tape --to clickhouse://a/b --password-file missing.txt",
        "good.tape --to clickhouse://a/b --metrics no/such/folder/m", "--follow missing --to clickhouse://a/b",
        "missing.tape --status", "text.tape --status", "older.tape --status",
    ],
    "doctor": ["--nonsense", "x.tape y.tape"],
    "mcp": ["missing.tape", "text.tape", "good.tape --allow all", "good.tape --allow record,", "good.tape more.tape"],
    "ca": [
        "extra", "--help-for windows", "--for windows", "--install --uninstall --yes", "--install --store other", "--ca-dir plain.txt", "--ca-dir ca --pem no/such/ca.pem",
        "--ca-dir ca --p12 no/such/ca.p12",
        "--ca-dir ca --der folder", "--ca-dir damaged-ca",
    ],
    "serve": [
        "extra", "--listen 127.0.0.1:99999", "--listen 203.0.113.1:0", "--listen 127.0.0.1:TAKEN",
        "--restore-polls many", "--retry-after -1", "--state text.tape --listen 127.0.0.1:0",
        "--state folder --listen 127.0.0.1:0", "--state no/such/folder/state --listen 127.0.0.1:0",
        "--state good.tape --listen 127.0.0.1:0", "--accounts missing.yaml --listen 127.0.0.1:0",
        "--accounts accounts-key.yaml --listen 127.0.0.1:0",
        "--accounts accounts-broken.yaml --listen 127.0.0.1:0",
        "--tls --ca-dir plain.txt --listen 127.0.0.1:0", "--change-error 404", "--change-error many",
        "--change-error-every 2", "--change-error 503 --change-error-every 0",
    ],
    "simperium": ["nonsense"],
    "simperium diff": [
        "", "'{}'", "'{' '{}'", "'[]' '{}'", "@missing.json '{}'", "'{}' '{}' --lists sets", "- -",
    ],
    "simperium apply": [
        "", "'{}' '{'", "'{}' '[]'", "'{}' '{\"a\": 7}'", "'{}' '{\"a\": {\"o\": \"?\"}}'",
        "'{}' '{\"a\": {\"o\": \"-\"}}'",
        "'{\"a\": \"xyz\"}' '{\"a\": {\"o\": \"d\", \"v\": \"=9\"}}'",
        "'{\"a\": \"x\"}' '{\"a\": {\"o\": \"I\", \"v\": 1}}'",
        "'{\"a\": \"x\"}' '{\"a\": {\"o\": \"d\", \"v\": 7}}'",
    ],
    "simperium transform": [
        "", "'{' '{}' '{}'", "'{}' '{\"a\": 7}' '{}'",
        "'{}' '{\"a\": {\"o\": \"d\", \"v\": \"=9\"}}' '{\"a\": \"x\"}'",
    ],
    "simperium parse": ["", "--from nobody"],
    "openrosa": ["nonsense"],
    "openrosa parse": [
        "", "missing.xml", "broken.xml", "plain.txt", "empty.tape", "folder", "- < broken.xml",
        "form.xml --nonsense",
    ],
    "client": ["nonsense"],
    "client commcare": ["nonsense"],
    "client commcare submit": [
        "", "form.xml", f"TAPEDECK_PASSWORD=x missing.xml {COMMCARE}",
        f"TAPEDECK_PASSWORD=x broken.xml {COMMCARE}",
        f"TAPEDECK_PASSWORD=x nameless.xml {COMMCARE}",
        f"TAPEDECK_PASSWORD=x form.xml missing.jpg {COMMCARE}",
        "TAPEDECK_PASSWORD=x form.xml --to http://127.0.0.1:1 --domain 'a b' --user ada --state s",
        "TAPEDECK_PASSWORD=x form.xml --to http://127.0.0.1:1 --domain demo --user ada"
        " --state plain.txt",
        f"TAPEDECK_PASSWORD=x form.xml {COMMCARE} --demo --openrosa",
        f"TAPEDECK_PASSWORD=x form.xml {COMMCARE} --device ''",
        f"TAPEDECK_PASSWORD=x form.xml {COMMCARE}", f"form.xml {COMMCARE}",
    ],
    "client commcare sync": [
        "", "TAPEDECK_PASSWORD=x --to ftp://127.0.0.1 --domain demo --user ada --state s",
        f"TAPEDECK_PASSWORD=x {COMMCARE} --locale missing.txt",
        f"TAPEDECK_PASSWORD=x {COMMCARE} --days-later -1", f"TAPEDECK_PASSWORD=x {COMMCARE}",
    ],
    "client commcare claim": [
        "", f"TAPEDECK_PASSWORD=x '' {COMMCARE}", f"TAPEDECK_PASSWORD=x case {COMMCARE}",
    ],
    "client commcare status": ["", "--state missing", "--state plain.txt"],
    "client http": ["nonsense"],
    "client http run": ["", "missing.txt", "plain.txt", "unknown-step.txt", "list.json --width 0", "list.json"],
    "client simperium": ["nonsense"],
    "client simperium watch": [
        "", "--app app --bucket notes", "--app app --bucket '' --token x",
        f"{SIMPERIUM} --to nonsense", f"{SIMPERIUM} --to ws://127.0.0.1:1 --page-size 0",
        f"{SIMPERIUM} --to ws://127.0.0.1:1 --patience 0",
        f"{SIMPERIUM} --to ws://127.0.0.1:1 --state plain.txt",
        "--app app --bucket notes --bucket notes --token x --to ws://127.0.0.1:1 --page-size 0",
    ],
    "client simperium get": [
        "", f"a {SIMPERIUM} --offline", f"a {SIMPERIUM} --offline --state s",
        "a --app app --bucket notes --user ada --to ws://127.0.0.1:1",
        f"a {SIMPERIUM} --to ws://127.0.0.1:1 --patience 1",
    ],
    "client simperium set": [
        "", f"a '{{' {SIMPERIUM} --offline --state s", f"a '[]' {SIMPERIUM} --offline --state s",
        f"a @missing.json {SIMPERIUM} --offline --state s",
        f"'a b' '{{}}' {SIMPERIUM} --offline --state s",
    ],
    "client simperium delete": ["", f"a {SIMPERIUM} --offline --state s"],
    "client simperium edit": [
        "", f"a missing.json {SIMPERIUM} --offline --state s",
        f"a broken.json {SIMPERIUM} --offline --state s",
        f"a - {SIMPERIUM} --offline --state s < list.json",
    ],
    "client simperium sync": ["", f"{SIMPERIUM} --to ws://127.0.0.1:1 --patience 1"],
    "client simperium run": [
        "", f"missing.txt {SIMPERIUM} --to ws://127.0.0.1:1",
        f"unknown-step.txt {SIMPERIUM} --to ws://127.0.0.1:1",
        f"broken-step.txt {SIMPERIUM} --to ws://127.0.0.1:1",
        f"- {SIMPERIUM} --to ws://127.0.0.1:1 < plain.txt",
    ],
    "faults": ["nonsense"],
    "faults schema": ["extra", "--nonsense"],
    "faults list": [
        "", "missing.tape", "good.tape --control plain.txt",
        "good.tape --control http://127.0.0.1:1",
        "good.tape --control http://127.0.0.1:1 --token x",
        "good.tape --control ftp://127.0.0.1:1 --token x",
    ],
    "faults add": ["", "good.tape 'status:503 => close'"],
    "faults change": [""],
    "faults remove": [""],
    "faults pause": [""],
    "faults resume": [""],
    "faults reset": [""],
    "faults mark": [""],
    "faults marks": [""],
    "faults fire": ["", "good.tape explode", "good.tape close --connection many"],
    "faults connections": [""],
    "faults reload": [""],
    "faults packs": ["no-such-pack"],
    "faults check": [
        "", "missing.yaml", "no-such-pack", "folder", "not-yaml.yaml", "text-plan.yaml",
        "unknown-key.yaml", "unknown-action.yaml", "same-name.yaml", "'=>'", "'nonsense'",
        "'nonsense:1 => close'", "'=> explode'", "'=> status'", "'=> status many'",
        "'=> status 99'", "'=> status 503 colour=red'", "'=> close first=0'",
        "'=> close probability=2'", "'=> close first=1 first=2'", "'=> close first=1 nth=2'",
        "'=> close from=20s to=10s'", "'=> latency 5 parsecs'", "'=> cut many'",
        "'=> cut 5 how=loudly'", "'=> bandwidth 0'", "'=> error many'",
        "'=> cut-xml sender=nobody'", "'command:c => truncate 5'", "'=> close-code 99999'",
        "'=> set-header \"\" x'", "'api:commcare.restore => error 440'", "'status:503 => refuse'",
    ],
    "faults report": [
        "", "missing.tape", "good.tape --session 99", "good.tape --junit no/such/folder.xml",
    ],
    "replay": ["nonsense"],
    "replay server": [
        "", "missing.tape", "good.tape --listen 203.0.113.1:0",
        "good.tape --listen 127.0.0.1:TAKEN", "good.tape --strict --lenient", "good.tape --speed 0",
        "good.tape --ignore nonsense", "good.tape --ignore json:a",
        "good.tape --ca-dir plain.txt --listen 127.0.0.1:0",
    ],
    "replay client": [
        "", "good.tape", "good.tape --to nonsense", "good.tape --to http://127.0.0.1:1 --clients 0",
        "good.tape --to http://127.0.0.1:1 --rate 0", "good.tape --to http://127.0.0.1:1 --speed 0",
        "good.tape --to http://127.0.0.1:1 --for never",
        "good.tape --to http://127.0.0.1:1 --patience 0",
        "good.tape --to http://127.0.0.1:1 --ca missing.pem",
        "good.tape --to http://127.0.0.1:1 --verbatim --clients 2",
        "good.tape --to http://127.0.0.1:1 --user ada",
        "good.tape --to other.example=http://127.0.0.1:1", "good.tape --to http://127.0.0.1:1",
    ],
    "send": [
        "", "good.tape", "missing.tape 1", "good.tape 9999", "good.tape c9999", "good.tape k1",
        "good.tape nonsense", "good.tape 1 --set 'status 404'", "good.tape 1 --set 'jsn /a 1'",
        "good.tape 1 --set 'json a 1'", "good.tape 1 --to ftp://x", "good.tape 1 --wait never",
        "good.tape 1 --ignore nonsense", "good.tape 1 --ca missing.pem",
    ],
    "diff": [
        "", "good.tape", "good.tape missing.tape", "good.tape good.tape --ignore nonsense",
        "good.tape good.tape --context many", "good.tape good.tape --ignore xml:a",
        "good.tape --session 1 --with-session 1", "good.tape good.tape --session 99", "good.tape good.tape --with-session x",
    ],
    "state": [
        "", "missing.tape", "good.tape --at yesterday", "good.tape --at '#9999'",
        "good.tape --at m9999", "good.tape --session 99",
    ],
    "export": [
        "", "good.tape", "missing.tape x.har", "good.tape x.doc",
        "good.tape x.har --format nonsense", "good.tape plain.txt --format csv", "good.tape folder",
        "good.tape no/such/folder.har", "good.tape x.tape", "good.tape x.har --rows nonsense",
        "good.tape x.har --redact-pattern a", "good.tape x.har --redact --redact-pattern '['",
        "good.tape x.har nonsense:1", "good.tape x.har --check-secrets", "good.tape x.har --secrets",
        "good.tape recording-folder --format text --replace", "good.tape good.tape --redact",
    ],
    "import": [
        "", "missing.har x.tape", "plain.txt x.tape", "broken.json x.tape", "broken.pcap x.tape",
        "empty.tape x.tape", "folder x.tape", "recording-folder x.tape", "broken.har text.tape",
        "good.tape x.tape", "broken.har no/such/folder.tape",
        "broken.har x.tape --keylog missing.log",
    ],
    "sniff": ["", "lo", "lo x.tape --for never"],
    "merge": [
        "", "good.tape", "good.tape x.tape", "good.tape missing.tape x.tape", "good.tape text.tape x.tape",
        "good.tape older.tape x.tape", "good.tape good.tape good.tape",
        "good.tape good.tape no/such/folder.tape",
    ],
    "pull": [
        "", "good.tape x.tape --session 1", "clickhouse://127.0.0.1:1/tapes x.tape",
        "clickhouse://127.0.0.1:1/tapes x.tape --session 1",
        "clickhouse://127.0.0.1:1/tapes x.tape --session 1 --connection 1",
        "clickhouse://127.0.0.1:1/tapes x.tape 'statsu:200'",
    ],
    "fleet": ["nonsense"],
    "fleet rules": [
        "", "good.tape", "clickhouse://127.0.0.1:1/tapes", "clickhouse://127.0.0.1:1/tapes 'at:x'",
    ],
    "fleet clients": ["", "clickhouse://a:b@c/d", "clickhouse://127.0.0.1:1/tapes --limit=-1"],
    "fleet losses": ["", "clickhouse://127.0.0.1:1/tapes --json --csv"],
    "fleet loops": ["", "clickhouse://127.0.0.1:1/tapes --password-file missing.txt"],
    "fleet dashboard": ["nonsense"],
    "minimize": [
        "", "good.tape", "missing.tape --check false", "text.tape --check false",
        "good.tape --check true", "good.tape --check false --output plain.txt",
        "good.tape --check false --patience 0", "good.tape --check false --max-checks 0",
    ],
    "diagnose": [
        "", "missing.tape", "older.tape", "good.tape --rule no.such", "good.tape --rule 'no*'",
        "good.tape --ignore no.such", "good.tape --blame nobody", "good.tape --fail-on nothing",
        "good.tape --session 99", "good.tape --baseline missing.json",
        "good.tape --baseline broken.json", "good.tape --write-baseline no/such/folder.json",
        "good.tape --junit no/such/folder.xml", "good.tape --junit - --sarif -",
        "--explain no.such",
    ],
    "reproduce": [
        "", "missing.tape f1 made", "good.tape first made", "good.tape f99 made",
        "good.tape f1 folder", "good.tape f1 made --max-checks 1",
    ],
    "retest": [
        "", "folder", "folder --builtin", "missing -- true", "folder --builtin -- true",
        "folder --builtin --json --junit -",
    ],
    "inspect": ["", "missing.tape", "plain.txt", "good.tape --listen nowhere:x"],
    "hold": [
        "", "good.tape", "good.tape status:500 --list", "good.tape --list --show h1",
        "good.tape --replace h1", "good.tape --control http://127.0.0.1:1", "good.tape stauts:500",
    ],
    "certify": ["nonsense"],
    "certify commcare": [
        "--builtin --case no.such", "--builtin -- true", "--builtin --jobs 0",
        "--builtin --slowness 0", "--builtin --ca-dir plain.txt", "-- no-such-program-here",
    ],
    "certify simperium": ["--builtin --case no.such", "--builtin --jobs 0"],
    "certify drive": [
        "", "TAPEDECK_URL=nonsense TAPEDECK_SCRIPT=missing.txt",
        "TAPEDECK_URL=http://127.0.0.1:1 TAPEDECK_SCRIPT=plain.txt",
    ],
}


def make_inputs(folder: Path, tapedeck: Callable) -> None:
    """All files that lines of the catalogue name."""
    for name, text in TEXTS.items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="latin-1")
    (folder / "damaged-ca").mkdir()
    (folder / "damaged-ca/tapedeck-ca.pem").write_text("nonsense")
    key = folder / "damaged-ca/tapedeck-ca-key.pem"
    key.write_text("nonsense")
    key.chmod(0o644)
    good = folder / "good.tape"
    tapedeck("import", RECORDINGS / "first-sync-and-edits", good)
    for name, statement in {
        "newer.tape": "PRAGMA user_version = 999",
        "older.tape": "PRAGMA user_version = 1",
        "other.tape": "CREATE TABLE somebody(a)",
    }.items():
        if name != "other.tape":
            shutil.copyfile(good, folder / name)
        database = sqlite3.connect(folder / name)
        database.execute(statement)
        database.commit()
        database.close()


def copy_named(line: str, inputs: Path, folder: Path) -> None:
    """Copies the files that a line names, so that no line spoils those of another."""
    words = [word.lstrip("@").rpartition("=")[2] for word in shlex.split(line)]
    for path in inputs.iterdir():
        if path.name in words and path.is_dir():
            shutil.copytree(path, folder / path.name)
        elif path.name in words:
            shutil.copyfile(path, folder / path.name)
