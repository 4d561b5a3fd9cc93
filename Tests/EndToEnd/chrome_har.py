"""Headless Chromium through a proxy, and an HTTP archive of what its DevTools protocol reports.

There is no headless export of an archive, so that this does what the Network panel does: it listens
to the events of the Network domain and turns each request into an entry (after the protocol's
documentation and the archives that the panel writes).
"""

from __future__ import annotations

import base64
import json
import shutil
from collections.abc import Callable
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from programs import DEADLINE, Program, eventually
from websockets.sync.client import connect

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
needs_chromium = pytest.mark.skipif(
    CHROMIUM is None, reason="chromium is not installed: apt-get install chromium")
# What a browser asks for by itself is not part of a test.
QUIET = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--mute-audio",
         "--disable-background-networking", "--disable-component-update", "--disable-sync",
         "--disable-default-apps", "--disable-extensions", "--disable-dev-shm-usage",
         "--disable-features=Translate,OptimizationHints,MediaRouter")


class Chrome:
    """A page of a headless Chromium; keeps every event of its network."""

    def __init__(self, home: Path, proxy: str):
        self.program = Program(
            CHROMIUM, *QUIET, "--remote-debugging-port=0", f"--user-data-dir={home}",
            f"--proxy-server={proxy}", "--proxy-bypass-list=<-loopback>", "about:blank")
        self.events: list[dict[str, Any]] = []
        self._last = 0
        self._session = None
        address = self.program.await_line(r"DevTools listening on (ws://\S+)", errors=True)[1]
        self._opened = ExitStack()
        self._socket = self._opened.enter_context(
            connect(address, max_size=None, proxy=None, open_timeout=DEADLINE))
        target = eventually(self._page, "a page")
        self._session = self.call("Target.attachToTarget", targetId=target,
                                  flatten=True)["sessionId"]
        for domain in ("Network", "Page", "Runtime"):
            self.call(f"{domain}.enable")

    def _page(self) -> str | None:
        for target in self.call("Target.getTargets")["targetInfos"]:
            if target["type"] == "page":
                return target["targetId"]
        return None

    def call(self, method: str, **parameters) -> dict[str, Any]:
        """Runs a method of the protocol; events that come meanwhile are kept."""
        self._last += 1
        message: dict[str, Any] = {"id": self._last, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        self._socket.send(json.dumps(message))
        while True:
            answer = self._receive()
            if answer.get("id") == self._last:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]

    def _receive(self) -> dict[str, Any]:
        message = json.loads(self._socket.recv(timeout=DEADLINE))
        if "method" in message:
            self.events.append(message)
        return message

    def await_events(self, method: str, count: int = 1) -> None:
        """Waits until so many events of a method have come."""
        while sum(event["method"] == method for event in self.events) < count:
            self._receive()

    def open(self, url: str) -> None:
        """Goes to a page and waits until it is loaded."""
        before = sum(event["method"] == "Page.loadEventFired" for event in self.events)
        self.call("Page.navigate", url=url)
        self.await_events("Page.loadEventFired", before + 1)

    def run(self, script: str) -> Any:
        """The value of an asynchronous function's body, run in the page."""
        done = self.call("Runtime.evaluate", expression=f"(async () => {{ {script} }})()",
                         awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in done, done
        return done["result"].get("value")

    def archive(self) -> dict[str, Any]:
        """What the Network panel would export now."""
        self._await_ends()
        entries = Entries(self.call)
        # Asking for bodies brings further events, which belong to nothing that is archived.
        for event in list(self.events):
            entries.take(event["method"], event["params"])
        version = self.call("Browser.getVersion")["product"]
        return {"log": {"version": "1.2", "pages": [], "entries": entries.finished(),
                        "creator": {"name": "WebInspector", "version": version}}}

    def _await_ends(self) -> None:
        """Waits until all that was answered is finished: the page has the content before that."""
        def those(*methods: str) -> set[str]:
            return {event["params"]["requestId"] for event in self.events
                    if event["method"] in methods}
        while those("Network.responseReceived") - those("Network.loadingFinished",
                                                        "Network.loadingFailed"):
            self._receive()

    def close(self) -> None:
        """Ends the browser."""
        self._opened.close()
        self.program.kill()


class Entries:
    """Turns events of the Network domain into entries."""

    def __init__(self, call: Callable[..., dict[str, Any]]):
        self._call = call
        self._open: dict[str, dict[str, Any]] = {}
        self._done: list[dict[str, Any]] = []

    def take(self, method: str, event: dict[str, Any]) -> None:
        """Takes an event."""
        handler = getattr(self, "_" + method.removeprefix("Network."), None)
        if method.startswith("Network.") and handler:
            handler(event, self._open.get(event["requestId"]))

    def finished(self) -> list[dict[str, Any]]:
        """The entries, those that are still open too."""
        return self._done + [self._entry(id_, state) for id_, state in self._open.items()]

    # HTTP

    def _requestWillBeSent(self, event: dict, state: dict | None) -> None:
        if state and "redirectResponse" in event:
            state |= {"response": event["redirectResponse"], "ended": event["timestamp"]}
            self._done.append(self._entry(None, self._open.pop(event["requestId"])))
        self._open[event["requestId"]] = {
            "request": event["request"], "wall": event["wallTime"], "began": event["timestamp"]}

    def _requestWillBeSentExtraInfo(self, event: dict, state: dict | None) -> None:
        if state:
            state["sent"] = event["headers"]

    def _responseReceived(self, event: dict, state: dict | None) -> None:
        if state:
            state |= {"response": event["response"], "responded": event["timestamp"]}

    def _responseReceivedExtraInfo(self, event: dict, state: dict | None) -> None:
        if state:
            state["received"] = event["headers"]

    def _loadingFinished(self, event: dict, state: dict | None) -> None:
        if state:
            state |= {"ended": event["timestamp"], "size": event["encodedDataLength"]}

    def _loadingFailed(self, event: dict, state: dict | None) -> None:
        if state:
            state |= {"ended": event["timestamp"], "error": event["errorText"]}

    # WebSocket

    def _webSocketCreated(self, event: dict, _: dict | None) -> None:
        self._open[event["requestId"]] = {
            "request": {"method": "GET", "url": event["url"], "headers": {}}, "messages": []}

    def _webSocketWillSendHandshakeRequest(self, event: dict, state: dict | None) -> None:
        state |= {"sent": event["request"]["headers"], "wall": event["wallTime"],
                  "began": event["timestamp"]}

    def _webSocketHandshakeResponseReceived(self, event: dict, state: dict | None) -> None:
        state |= {"response": event["response"], "responded": event["timestamp"]}

    def _webSocketFrameSent(self, event: dict, state: dict | None) -> None:
        self._message("send", event, state)

    def _webSocketFrameReceived(self, event: dict, state: dict | None) -> None:
        self._message("receive", event, state)

    @staticmethod
    def _message(kind: str, event: dict, state: dict) -> None:
        frame = event["response"]
        state["messages"].append({
            "type": kind, "time": state["wall"] + event["timestamp"] - state["began"],
            "opcode": frame["opcode"], "data": frame["payloadData"]})

    def _webSocketClosed(self, event: dict, state: dict | None) -> None:
        state["ended"] = event["timestamp"]

    # Entries

    def _entry(self, id_: str | None, state: dict[str, Any]) -> dict[str, Any]:
        request, response = state["request"], state.get("response")
        began = state.get("began", 0)
        responded = state.get("responded", state.get("ended", began))
        ended = state.get("ended", responded)
        entry = {
            "startedDateTime": datetime.fromtimestamp(state.get("wall", 0), UTC).isoformat(),
            "time": (ended - began) * 1000, "cache": {}, "connection": str(
                (response or {}).get("connectionId", "")),
            "timings": {"blocked": -1, "dns": -1, "connect": -1, "ssl": -1, "send": 0,
                        "wait": (responded - began) * 1000, "receive": (ended - responded) * 1000},
            "request": self._request(id_, request, state.get("sent", request["headers"])),
            "response": self._response(id_, response, state),
        }
        if "messages" in state:
            entry |= {"_resourceType": "websocket", "_webSocketMessages": state["messages"]}
        return entry

    def _request(self, id_: str | None, request: dict, headers: dict) -> dict[str, Any]:
        said = {"method": request["method"], "url": request["url"], "httpVersion": "HTTP/1.1",
                "headers": _pairs(headers), "queryString": [], "cookies": [],
                "headersSize": -1, "bodySize": 0}
        if request.get("hasPostData"):
            text = request.get("postData")
            if text is None and id_:
                text = self._call("Network.getRequestPostData", requestId=id_)["postData"]
            said |= {"bodySize": len((text or "").encode()), "postData": {
                "mimeType": request["headers"].get("Content-Type", ""), "text": text or ""}}
        return said

    def _response(self, id_: str | None, response: dict | None,
                  state: dict[str, Any]) -> dict[str, Any]:
        if response is None:
            return {"status": 0, "statusText": "", "httpVersion": "", "headers": [], "cookies": [],
                    "content": {"size": 0, "mimeType": "x-unknown"}, "redirectURL": "",
                    "headersSize": -1, "bodySize": -1, "_error": state.get("error", "")}
        content: dict[str, Any] = {"mimeType": response.get("mimeType", "x-unknown"), "size": 0}
        if id_ and "messages" not in state and "ended" in state and "error" not in state:
            body = self._call("Network.getResponseBody", requestId=id_)
            content["text"] = body["body"]
            if body["base64Encoded"]:
                content["encoding"] = "base64"
            content["size"] = len(base64.b64decode(body["body"]) if body["base64Encoded"]
                                  else body["body"].encode())
        headers = state.get("received", response["headers"])
        return {"status": response["status"], "statusText": response["statusText"],
                "httpVersion": response.get("protocol", "http/1.1"), "headers": _pairs(headers),
                "cookies": [], "content": content, "headersSize": -1, "bodySize": -1,
                "redirectURL": {name.lower(): value for name, value in headers.items()}.get(
                    "location", ""),
                "_transferSize": state.get("size", 0), "_error": None}


def _pairs(headers: dict[str, str]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in headers.items()]
