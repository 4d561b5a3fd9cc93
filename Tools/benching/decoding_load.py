"""The decoders by themselves, on one core: messages, diffs and a large restore, beside their peers."""

import json
import random
import statistics
import subprocess
import time
from pathlib import Path

from programs import ROOT, ratios

WORDS = ["Amina", "Près", "village", "oui", "42", "2024-05-06", "Zoë", "日本", "farm-3", "😀 ok", "0.75"]
PROPERTIES = ("date_of_birth", "sex", "village_name", "last_visit_date", "phone_number",
              "household_head", "risk_score", "notes_of_visit")


def write_messages(path: Path, count: int) -> None:
    """`c` messages of a server, about 300 bytes each, one a line."""
    rng = random.Random(20130701)
    with path.open("w", encoding="utf-8") as out:
        for number in range(count):
            change = {
                "clientid": f"sjs-{rng.getrandbits(64):016x}", "id": f"note-{number}", "o": "M",
                "v": {"content": {"o": "d", "v": f"={rng.randrange(900)}\t+{rng.choice(WORDS)} {rng.choice(WORDS)} and more text of a note"},
                      "modified": {"o": "r", "v": f"{rng.random() * 1e9:.3f}"}},
                "sv": number, "ev": number + 1, "cv": f"{rng.getrandbits(96):024x}",
                "ccids": [f"{rng.getrandbits(128):032x}"],
            }
            out.write("0:c:" + json.dumps([change], ensure_ascii=False) + "\n")


def write_restore(path: Path, size: int) -> None:
    """A restore: 60 % of its bytes case blocks with 8 properties, the rest a fixture."""
    rng = random.Random(3)
    done = 0
    with path.open("wb") as out:
        def put(text: str) -> None:
            nonlocal done
            data = text.encode()
            out.write(data)
            done += len(data)

        put('<OpenRosaResponse xmlns="http://openrosa.org/http/response">'
            '<message nature="ota_restore_success">Restored</message>'
            '<Sync xmlns="http://commcarehq.org/sync"><restore_id>0123456789abcdef</restore_id></Sync>'
            '<fixture id="item-list:villages" user_id="u1"><villages_list>')
        while done < 0.4 * size:
            put(f"<village id=\"{rng.getrandbits(128):032x}\"><name>{rng.choice(WORDS)}</name>"
                f"<district>{rng.choice(WORDS)}</district><code>{rng.choice(WORDS)}</code></village>")
        put("</villages_list></fixture>")
        while done < size:
            put('<case xmlns="http://commcarehq.org/case/transaction/v2" '
                f'case_id="{rng.getrandbits(128):032x}" date_modified="2024-05-06T07:08:09.000Z" '
                'user_id="5f1a3c9d8b7e6f5a"><create><case_type>person</case_type>'
                f"<case_name>{rng.choice(WORDS)} {rng.choice(WORDS)}</case_name>"
                "<owner_id>5f1a3c9d8b7e6f5a</owner_id></create><update>")
            for name in PROPERTIES:
                words = 6 if name == "notes_of_visit" else 1
                text = " ".join(rng.choice(WORDS) for _ in range(words))
                put(f"<{name}>{text}</{name}>")
            put('</update><index><parent case_type="household" relationship="child">'
                f"{rng.getrandbits(128):032x}</parent></index></case>")
        put("</OpenRosaResponse>")


def run(program: Path, *arguments: str) -> dict[str, float]:
    """What one run of the measuring program says."""
    done = subprocess.run([program, *arguments], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


def measure(table, program: Path, folder: Path, quick: bool) -> None:
    """Adds the rows of this part; `program` is the release build of tapedeck beside the other."""
    decoding = ROOT / ".build/release/decoding"
    if not decoding.exists():
        raise SystemExit(f"bench: {decoding} is missing: Tools/build release --product decoding")
    messages = folder / "messages.txt"
    write_messages(messages, 20_000)
    rounds = [run(decoding, "messages", str(messages)) for _ in range(3)]
    ours = statistics.median(figures["megabytes_per_second"] for figures in rounds)
    theirs = statistics.median(figures["foundation_megabytes_per_second"] for figures in rounds)
    table.add(f"Simperium messages of {rounds[0]['bytes_per_message']:.0f} bytes to typed values",
              f"{ours:.0f} MB/s", ">= 500 MB/s", ours >= 500)
    table.add("the same with Foundation's JSONDecoder", f"{theirs:.0f} MB/s")
    diff = run(decoding, "diff")
    table.add("jsondiff of a 50 KB note with ten edits", f"{diff['diff_ms']:.2f} ms", "< 5 ms",
              diff["diff_ms"] < 5)
    table.add("its apply, its transform over ten other edits",
              f"{diff['apply_ms']:.2f} ms, {diff['transform_ms']:.2f} ms")

    size = 50_000_000 if quick else 200_000_000
    restore = folder / "restore.xml"
    write_restore(restore, size)
    times: list[float] = []
    peers: list[float] = []
    peak = 0.0
    for _ in range(3 if quick else 7):
        figures = run(decoding, "restore", str(restore))
        times.append(figures["seconds"])
        peak = max(peak, figures["peak_bytes"])
        began = time.monotonic()
        subprocess.run(["xmllint", "--stream", "--noout", restore], check=True)
        peers.append(time.monotonic() - began)
    restore.unlink()
    ratio, figure = ratios(peers, times)
    table.add(f"restore of {size / 1e6:.0f} MB to events",
              f"{statistics.median(times):.2f} s, xmllint --stream {statistics.median(peers):.2f} s")
    table.add("its speed / xmllint", figure, ">= 1.2", ratio >= 1.2)
    table.add("its peak memory", f"{peak / 1e6:.0f} MB", "< 64 MB", peak < 64e6)
