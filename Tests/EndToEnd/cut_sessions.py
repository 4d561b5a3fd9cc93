"""Random sessions of several Simperium clients whose connections are cut with messages lost.

What is lost, and on which way, is decided by the seed and not by the clock: between the recording
proxy and the server stands a cutter that swallows what it is told to, and then hangs up.
"""

from __future__ import annotations

import contextlib
import json
import random
import socket
import threading
import uuid

from programs import DEADLINE
from serving import Client
from websockets.exceptions import ConnectionClosed

UP, DOWN = 0, 1


class Cutter:
    """Passes bytes on, swallows those of one way of its newest connection, and cuts it."""

    class Line:
        """A connection."""

        def __init__(self, pair: tuple[socket.socket, socket.socket]):
            self.pair = pair
            self.swallows: set[int] = set()
            self.swallowed = [0, 0]
            self.left: dict[int, int] = {}
            self.changed = threading.Condition()

        def swallow(self, way: int) -> None:
            """Passes nothing on of this way from now on."""
            with self.changed:
                self.swallows.add(way)

        def pass_only(self, way: int, count: int) -> None:
            """Passes no more than so many bytes of what comes next this way, and hangs up."""
            with self.changed:
                self.left[way] = count

        def await_swallowed(self, way: int, count: int) -> None:
            """Waits until so many bytes were swallowed."""
            with self.changed:
                assert self.changed.wait_for(lambda: self.swallowed[way] >= count, DEADLINE), (
                    f"{self.swallowed[way]} of {count} bytes came")

        def cut(self) -> None:
            """Ends it on both sides."""
            for each in self.pair:
                with contextlib.suppress(OSError):
                    each.shutdown(socket.SHUT_RDWR)

        def passing(self, way: int) -> None:
            """Passes one way on until it ends."""
            source, sink = self.pair[way], self.pair[1 - way]
            try:
                while data := source.recv(65536):
                    with self.changed:
                        if way in self.swallows:
                            self.swallowed[way] += len(data)
                            self.changed.notify_all()
                            continue
                        if way in self.left:
                            sink.sendall(data[:self.left[way]])
                            break
                    sink.sendall(data)
            except OSError:
                pass
            self.cut()

    def __init__(self, port: int):
        self._to = port
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self._listener.getsockname()[1]
        self.lines: list[Cutter.Line] = []
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", self._to))
            for each in (client, server):
                each.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            line = Cutter.Line((client, server))
            self.lines.append(line)
            for way in (UP, DOWN):
                threading.Thread(target=line.passing, args=(way,), daemon=True).start()

    def close(self) -> None:
        """Ends everything."""
        with contextlib.suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for line in self.lines:
            line.cut()
            for each in line.pair:
                each.close()


class Channels(Client):
    """A socket whose channels are read one by one: between them there is no order."""

    def __init__(self, *arguments, **options):
        super().__init__(*arguments, **options)
        self.others: list[str] = []

    def next(self, channel: int | None = None) -> str:
        """The next message, of a channel or of any."""
        def fits(text: str) -> bool:
            return channel is None or text.startswith(f"{channel}:")

        for text in self.others:
            if fits(text):
                self.others.remove(text)
                return text
        while not fits(text := super().next()):
            self.others.append(text)
        return text

    def say(self, text: str) -> str:
        """Sends one message and gives the next one of its channel."""
        self.send(text)
        return self.next(int(text.split(":")[0]))


class Device:
    """A client that comes back, with what it knows and what nobody acknowledged."""

    def __init__(self):
        self.name = f"client-{uuid.uuid4()}"
        self.client: Channels | None = None
        self.line: Cutter.Line | None = None
        # The newest change version that was heard of, by bucket.
        self.versions: dict[str, str] = {}
        # Changes without an answer, in order, with their channel.
        self.pending: list[tuple[int, dict]] = []


class Crowd:
    """Several devices on one bucket or two; everybody hears of every change."""

    def __init__(self, chance: random.Random, url: str, cutter: Cutter | None):
        self.chance = chance
        self.url = f"ws{url.removeprefix('http')}/sock/1/app/"
        self.cutter = cutter
        self.token = f"{chance.getrandbits(128):032x}"
        self.buckets = ["notes", "tags"][:chance.randint(1, 2)]
        self.devices = [Device() for _ in range(chance.randint(2, 4))]
        self.objects: dict[tuple[int, str], int] = {}
        self.busy: set[tuple[int, str]] = set()
        self.made = 0
        for device in self.devices:
            self.open(device)

    @property
    def there(self) -> list[Device]:
        """The devices with a connection."""
        return [device for device in self.devices if device.client]

    # MARK: Connections

    def open(self, device: Device) -> None:
        """Connects, hears what was missed, and sends again what nobody answered."""
        path = "websocket"
        is_sockjs = self.chance.random() < 0.3
        if is_sockjs:
            path = f"{self.chance.randrange(1000):03}/{uuid.uuid4().hex[:8]}/websocket"
        client = Channels(self.url + path, sockjs=is_sockjs, compression=None)
        heard: set[str] = set()
        for channel, bucket in enumerate(self.buckets):
            known = device.versions.get(bucket)
            if known and self.chance.random() < 0.5:
                client.join(self.token, bucket, device.name, channel, cmd=f"cv:{known}")
                heard |= self.hear(device, channel, client.next(channel))
                continue
            client.join(self.token, bucket, device.name, channel)
            if known:
                heard |= self.hear(device, channel, client.say(f"{channel}:cv:{known}"))
            else:
                page = json.loads(client.say(f"{channel}:i::::100").removeprefix(f"{channel}:i:"))
                device.versions[bucket] = page["current"]
        device.client = client
        device.line = self.cutter.lines[-1] if self.cutter else None
        pending, device.pending = device.pending, []
        for channel, change in pending:
            if change["ccid"] not in heard:
                self.send(device, channel, change)
                self.all_hear(channel)
            elif self.chance.random() < 0.5:
                self.send(device, channel, change)
                text = client.next(channel)
                assert Client.changes(text)[0]["error"] == 409, text
            self.busy.discard((channel, change["id"]))

    def lose(self, device: Device) -> None:
        """The connection is cut, or is by now; what still comes is not looked at."""
        try:
            while True:
                device.client.next()
        except ConnectionClosed:
            pass
        device.client = device.line = None

    # MARK: Changes

    def hear(self, device: Device, channel: int, text: str) -> set[str]:
        """Takes changes in."""
        changes = Client.changes(text)
        assert text.startswith(f"{channel}:c:"), text
        for change in changes:
            assert "error" not in change, text
            device.versions[self.buckets[channel]] = change["cv"]
        return {ccid for change in changes for ccid in change["ccids"]}

    def all_hear(self, channel: int, but: Device | None = None) -> None:
        """A change comes to everybody who is there."""
        for device in self.there:
            if device is not but:
                self.hear(device, channel, device.client.next(channel))

    def make(self) -> tuple[int, dict]:
        """A change that nobody else is about to make."""
        channel = self.chance.randrange(len(self.buckets))
        known = sorted(key for owner, key in self.objects
                       if owner == channel and (owner, key) not in self.busy)
        change: dict = {"ccid": uuid.uuid4().hex, "o": "M"}
        self.made += 1
        if known and self.chance.random() < 0.6:
            key = self.chance.choice(known)
            change |= {"id": key, "sv": self.objects[channel, key],
                       "v": {"n": {"o": "r", "v": self.made}}}
        else:
            key = f"key-{self.chance.getrandbits(32):08x}-{self.made}"
            change |= {"id": key, "v": {"n": {"o": "+", "v": self.made}}}
        place = (channel, key)
        self.objects[place] = self.objects.get(place, 0) + 1
        self.busy.add(place)
        return channel, change

    def send(self, device: Device, channel: int, change: dict) -> int:
        """Sends a change; gives the bytes of its frame."""
        return self.say(device, f"{channel}:c:{json.dumps(change)}")

    def say(self, device: Device, text: str) -> int:
        """Sends a command; gives the bytes of its frame."""
        device.client.send(text)
        count = len((json.dumps([text]) if device.client.sockjs else text).encode())
        return count + (6 if count < 126 else 8)

    # MARK: Steps

    def change(self) -> None:
        """One device changes something."""
        channel, change = self.make()
        self.send(self.chance.choice(self.there), channel, change)
        self.all_hear(channel)
        self.busy.discard((channel, change["id"]))

    def together(self) -> None:
        """Two devices change something at once."""
        authors = self.chance.sample(self.there, 2)
        made = [self.make() for _ in authors]
        for author, (channel, change) in zip(authors, made, strict=True):
            self.send(author, channel, change)
        for device in self.there:
            for _ in made:
                text = device.client.next()
                self.hear(device, int(text.split(":")[0]), text)
        for channel, change in made:
            self.busy.discard((channel, change["id"]))

    def never_sent(self) -> None:
        """The server never gets what a device sends, and hangs up."""
        device = self.chance.choice(self.there)
        if device.line:
            device.line.swallow(UP)
        count = 0
        for _ in range(self.chance.randint(1, 3)):
            if self.chance.random() < 0.3:
                count += self.say(device, f"0:{self.chance.choice(['i::::10', 'e:nothing.1'])}")
            else:
                channel, change = self.make()
                device.pending.append((channel, change))
                count += self.send(device, channel, change)
        if device.line:
            device.line.await_swallowed(UP, count)
        if len(self.there) > 1:
            # What others do meanwhile still comes.
            for _ in range(self.chance.randrange(3)):
                author = self.chance.choice([each for each in self.there if each is not device])
                channel, change = self.make()
                self.send(author, channel, change)
                self.all_hear(channel, but=device)
                self.busy.discard((channel, change["id"]))
        if device.line:
            device.line.cut()
        self.lose(device)

    def never_answered(self) -> None:
        """The server takes what a device sends, whose answers are lost; others hear of it."""
        device = self.chance.choice(self.there)
        if device.line:
            device.line.swallow(DOWN)
        for _ in range(self.chance.randint(1, 2)):
            channel, change = self.make()
            device.pending.append((channel, change))
            self.send(device, channel, change)
            self.all_hear(channel, but=device)
        if device.line:
            device.line.cut()
        self.lose(device)

    def never_heard(self) -> None:
        """A device is gone before it hears of its own change, that everybody else hears of."""
        device = self.chance.choice(self.there)
        channel, change = self.make()
        device.pending.append((channel, change))
        self.send(device, channel, change)
        self.all_hear(channel, but=device)
        device.client.socket.socket.shutdown(socket.SHUT_RDWR)
        device.client = device.line = None

    def index(self) -> None:
        """The index of a bucket."""
        channel = self.chance.randrange(len(self.buckets))
        text = self.chance.choice(self.there).client.say(f"{channel}:i:1:::100")
        assert text.startswith(f"{channel}:i:{{"), text

    def back(self) -> None:
        """One of those who are away comes back."""
        self.open(self.chance.choice([each for each in self.devices if not each.client]))

    def step(self) -> None:
        """Something."""
        away = len(self.devices) - len(self.there)
        if away and (len(self.there) < 2 or self.chance.random() < 0.4):
            self.back()
            return
        self.chance.choices(
            [self.change, self.together, self.index, self.never_sent, self.never_answered,
             self.never_heard], [6, 4, 1, 3, 3, 2])[0]()

    def end(self) -> None:
        """All come back and go."""
        while len(self.there) < len(self.devices):
            self.back()
        for device in self.devices:
            device.client.socket.close()
