"""Random sessions of clients of both protocols: recorded, then replayed from either side.

A seed says what is done; who does it (instance, change and client identifiers) is new each time.
Those beyond 1,000 are of several Simperium clients whose connections are cut.

    Tools/sessions              1,300 of them
    Tools/sessions --count 50   fewer
    Tools/sessions --seed 17    this one alone, and its traces stay
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import sys
import tempfile
import threading
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import requests
from cut_sessions import Crowd, Cutter
from programs import DEADLINE, TAPEDECK, Program
from serving import AUTH, OPENROSA, Client, Server, case, form, state, token

WORDS = ("alpha", "Beta", "gamma", "δέλτα", "Übung", "naïve", "🙂", "one two", "", "zeta\nline")


class Phone:
    """A CommCare device on Python's requests."""

    def __init__(self, chance: random.Random, url: str):
        self.chance = chance
        self.root = f"{url}/a/demo"
        self.http = requests.Session()
        self.http.trust_env = False
        self.http.auth = AUTH
        self.http.headers.update(OPENROSA)
        self.device = f"phone-{uuid.uuid4()}"
        self.token = ""
        self.cases: list[str] = []
        self.number = 0

    def submit(self) -> None:
        """A form that opens a case or changes one, with or without pictures."""
        self.number += 1
        if self.cases and self.chance.random() < 0.5:
            inside = (f"<update><note>{self.chance.choice(WORDS)}{self.number}</note></update>"
                      if self.chance.random() < 0.8 else "<close/>")
            block = case(self.chance.choice(self.cases), inside, create=False)
        else:
            self.cases.append(f"case-{self.chance.getrandbits(40):010x}")
            block = case(self.cases[-1], f"<update><note>{self.chance.choice(WORDS)}</note></update>")
        body = form(f"uuid:{uuid.uuid4()}", block).encode()
        headers = {"X-CommCareHQ-LastSyncToken": self.token} if self.token else {}
        if self.chance.random() < 0.5:
            answer = self.http.post(self.root + "/receiver/", body, timeout=DEADLINE,
                                    headers=headers | {"Content-Type": "text/xml"})
        else:
            files = [("xml_submission_file", ("form.xml", body, "text/xml"))]
            for picture in range(self.chance.randrange(3)):
                files.append((f"p{picture}.jpg", (f"p{picture}.jpg", self.chance.randbytes(200),
                                                  "image/jpeg")))
            answer = self.http.post(self.root + "/receiver/", files=files, headers=headers,
                                    timeout=DEADLINE)
        assert answer.status_code in (201, 202), answer.text

    def restore(self) -> None:
        """A restore of everything, or of what is new."""
        parameters = {"version": "2.0", "items": "true", "device_id": self.device}
        if self.token and self.chance.random() < 0.7:
            parameters["since"] = self.token
            if self.chance.random() < 0.2:
                parameters["state"] = state("no-such-case")
        answer = self.http.get(self.root + "/phone/restore/", params=parameters, timeout=DEADLINE)
        if answer.status_code == 412:
            del parameters["since"], parameters["state"]
            answer = self.http.get(self.root + "/phone/restore/", params=parameters,
                                   timeout=DEADLINE)
        assert answer.status_code == 200, answer.text
        self.token = token(answer)

    def step(self) -> None:
        """Something."""
        (self.submit if self.chance.random() < 0.6 else self.restore)()


class Notes:
    """Simperium clients on Python's websockets, on one bucket or two."""

    def __init__(self, chance: random.Random, url: str):
        self.chance = chance
        self.url = f"ws{url.removeprefix('http')}/sock/1/app/websocket"
        self.sockjs = f"ws{url.removeprefix('http')}/sock/1/app/"
        self.token = f"{chance.getrandbits(128):032x}"
        self.buckets = ["notes", "tags"][:chance.randint(1, 2)]
        self.versions: dict[tuple[str, str], tuple[int, str]] = {}
        self.clients: list[Client] = []
        # Those were asked for in the recorded run and are in this one, under names of their own.
        self.made = 0

    def open(self) -> None:
        """One more client, on a channel for each bucket."""
        compression = self.chance.choice(["deflate", None])
        if self.chance.random() < 0.3:
            client = Client(f"{self.sockjs}{self.chance.randrange(1000):03}/{uuid.uuid4().hex[:8]}"
                            "/websocket", sockjs=True, compression=compression)
        else:
            client = Client(self.url, compression=compression)
        for channel, bucket in enumerate(self.buckets):
            client.join(self.token, bucket, f"client-{uuid.uuid4()}", channel)
        self.clients.append(client)

    def change(self) -> None:
        """A new object, an edit or a removal; everybody hears of it."""
        author = self.chance.choice(self.clients)
        channel = self.chance.randrange(len(self.buckets))
        bucket = self.buckets[channel]
        known = [key for owner, key in self.versions if owner == bucket]
        sent: dict = {"ccid": uuid.uuid4().hex}
        if known and self.chance.random() < 0.7:
            key = self.chance.choice(sorted(known))
            version, title = self.versions[bucket, key]
            if self.chance.random() < 0.15:
                sent |= {"id": key, "o": "-", "sv": version}
                del self.versions[bucket, key]
            else:
                word = f"{self.chance.choice(WORDS)}{self.chance.randrange(100)}"
                if word == title:
                    # A change that changes nothing is refused with 412.
                    word += "+"
                sent |= {"id": key, "o": "M", "sv": version,
                         "v": {"title": {"o": "r", "v": word}}}
                self.versions[bucket, key] = (version + 1, word)
        else:
            self.made += 1
            key = f"key-{self.chance.getrandbits(32):08x}-{self.made}"
            word = self.chance.choice(WORDS)
            sent |= {"id": key, "o": "M",
                     "v": {"title": {"o": "+", "v": word}, "n": {"o": "+", "v": self.made}}}
            self.versions[bucket, key] = (1, word)
        author.send(f"{channel}:c:{json.dumps(sent)}")
        for client in self.clients:
            text = client.next()
            assert text.startswith(f"{channel}:c:["), text
            change = Client.changes(text)[0]
            assert "error" not in change and change["id"] == key, text

    def refused(self) -> None:
        """A change of an object that is not there."""
        client = self.chance.choice(self.clients)
        change = client.change(id=f"missing-{self.chance.randrange(100)}", sv=3,
                               v={"title": {"o": "r", "v": "x"}})
        assert change["error"] == 404, change

    def index(self) -> None:
        """The index of a bucket, with or without data, in pages."""
        client = self.chance.choice(self.clients)
        channel = self.chance.randrange(len(self.buckets))
        data = self.chance.choice(["", "1"])
        limit = self.chance.randint(1, 5)
        mark = ""
        for _ in range(50):
            answer = client.say(f"{channel}:i:{data}:{mark}::{limit}")
            page = json.loads(answer.removeprefix(f"{channel}:i:"))
            if "mark" not in page:
                break
            mark = page["mark"]

    def entity(self) -> None:
        """An object at a version, or one that is not there."""
        client = self.chance.choice(self.clients)
        if self.versions and self.chance.random() < 0.8:
            bucket, key = self.chance.choice(sorted(self.versions))
            version = self.chance.randint(1, self.versions[bucket, key][0])
            text = f"{self.buckets.index(bucket)}:e:{key}.{version}"
        else:
            text = "0:e:nothing.1"
        assert client.say(text).startswith(text)

    def since(self) -> None:
        """Changes since the newest, since one that nobody knows, and a heartbeat."""
        client = self.chance.choice(self.clients)
        if self.chance.random() < 0.4:
            assert client.say("0:cv:" + "f" * 24) == "0:cv:?"
        elif self.chance.random() < 0.5:
            assert client.say(f"0:cv:{client.current()}") == "0:c:[]"
        else:
            assert client.say("h:0").startswith("h:")

    def step(self) -> None:
        """Something."""
        if not self.clients or (len(self.clients) < 3 and self.chance.random() < 0.15):
            self.open()
            return
        if len(self.clients) > 1 and self.chance.random() < 0.08:
            self.clients.pop(self.chance.randrange(len(self.clients))).socket.close()
            return
        self.chance.choices([self.change, self.index, self.entity, self.since, self.refused],
                            [10, 2, 2, 2, 1])[0]()


# The last seed of a session without cuts.
UNCUT = 1000


def drive(seed: int, url: str, cutter: Cutter | None = None) -> None:
    """What the clients of this session do."""
    chance = random.Random(seed)
    if seed > UNCUT:
        crowd = Crowd(chance, url, cutter)
        for _ in range(chance.randint(5, 25)):
            crowd.step()
        crowd.end()
        return
    kinds = chance.choice([(Phone,), (Notes,), (Phone, Notes)])
    clients = [kind(chance, url) for kind in kinds]
    for _ in range(chance.randint(3, 30)):
        chance.choice(clients).step()
    for client in clients:
        if isinstance(client, Notes):
            for each in client.clients:
                each.socket.close()
        else:
            client.http.close()


def listening(*arguments: str | Path) -> tuple[Program, str]:
    """A program of ours with a listener, and its URL."""
    program = Program(TAPEDECK, *arguments, "--listen", "127.0.0.1:0")
    address = program.await_line(r"^listening on (\S+)$")[1]
    return program, f"http://{address}"


def prove(seed: int, folder: Path) -> str:
    """Records one session in `folder` and replays it both ways; says what went wrong."""
    trace = folder / f"{seed}.tape"
    programs: list[Program] = []
    cutter = None

    def start(*arguments: str | Path) -> str:
        program, url = listening(*arguments)
        programs.append(program)
        return url

    try:
        server = start("serve")
        if seed > UNCUT:
            cutter = Cutter(int(server.rpartition(":")[2]))
            server = f"http://127.0.0.1:{cutter.port}"
        proxy = start("record", trace, "--to", server, "--no-control")
        drive(seed, proxy, cutter)
        if programs[-1].stop() != 0:
            return f"record: {programs[-1].said()}"
        played = start("replay", "server", trace)
        try:
            drive(seed, played)
        except Exception as error:  # pylint: disable=broad-except
            return f"replay server: {error!r}\n{programs[-1].said()}"
        if programs[-1].stop() != 0:
            return f"replay server: {programs[-1].said()}"
        player = Program(TAPEDECK, "replay", "client", trace, "--to", start("serve"))
        programs.append(player)
        if player.wait(10 * DEADLINE) != 0:
            return f"replay client: {player.said()}"
        trace.unlink()
        return ""
    finally:
        if cutter:
            cutter.close()
        for program in programs:
            program.kill()


def main() -> None:
    """Proves as many sessions as asked for."""
    parser = argparse.ArgumentParser(prog="Tools/sessions", description=__doc__.split("\n")[0])
    parser.add_argument("--count", type=int, default=1300, help="of sessions; 1300")
    parser.add_argument("--from", type=int, default=1, dest="first", help="the first seed; 1")
    parser.add_argument("--seed", type=int, help="this session alone; its traces stay")
    parser.add_argument("--tapedeck", help="the program; the release build if not given")
    asked = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="sessions-"))
    seeds = [asked.seed] if asked.seed is not None else list(
        range(asked.first, asked.first + asked.count))
    begun = time.monotonic()
    failed: list[int] = []
    done = 0
    lock = threading.Lock()

    def run(seed: int) -> None:
        nonlocal done
        says = prove(seed, folder)
        with lock:
            done += 1
            if says:
                failed.append(seed)
                print(f"\nsession {seed}: {says}", flush=True)
            if sys.stderr.isatty():
                print(f"\r{done} of {len(seeds)}", end="", file=sys.stderr, flush=True)

    with ThreadPoolExecutor(2) as pool:
        list(pool.map(run, seeds))
    seconds = time.monotonic() - begun
    print(f"{len(seeds)} sessions recorded and replayed both ways in {seconds:.0f} s: "
          f"{len(seeds) - len(failed)} without a difference, {len(failed)} with"
          + (f", {sorted(failed)}; traces are in {folder}" if failed else ""))
    if not failed and asked.seed is None:
        shutil.rmtree(folder)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
