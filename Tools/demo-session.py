"""A Simperium session with a real WebSocket client: Tools/demo-session.py URL.

Signs in, reads the index, creates a note, changes its title, reads it back and sends a heartbeat.
"""

import json
import sys
import uuid

from websockets.sync.client import connect

CLIENT = "demo-1"


def shortened(text: str) -> str:
    """A command on one line of a terminal."""
    line = text.replace("\n", "\\n")
    return line if len(line) <= 90 else line[:87] + "..."


def main(url: str) -> None:
    """Talks to the server at `url` and prints what goes to and fro."""
    with connect(url, proxy=None, open_timeout=30, user_agent_header="tapedeck-demo") as socket:
        def ask(command: str, expected: str) -> str:
            print("   >", shortened(command))
            socket.send(command)
            while True:
                answer = socket.recv(30)
                print("   <", shortened(answer))
                if answer.startswith(expected):
                    return answer.removeprefix(expected)

        def change(key: str, value: dict, version: int | None = None) -> int:
            sent = {"id": key, "o": "M", "v": value, "ccid": uuid.uuid4().hex}
            if version is not None:
                sent["sv"] = version
            answer = json.loads(ask(f"0:c:{json.dumps(sent)}", "0:c:"))[0]
            if "error" in answer:
                sys.exit(f"the change was refused: {answer}")
            return answer["ev"]

        ask("0:init:" + json.dumps({
            "name": "notes", "app_id": "demo-app", "token": "0123456789abcdef0123456789abcdef",
            "clientid": CLIENT, "api": "1.1", "library": "tapedeck-demo", "version": "1.0",
        }), "0:auth:")
        ask("0:i::::100", "0:i:")
        version = change("note-1", {"title": {"o": "+", "v": "abc"},
                                    "tags": {"o": "+", "v": ["demo"]}})
        ask(f"0:e:note-1.{version}", f"0:e:note-1.{version}\n")
        version = change("note-1", {"title": {"o": "d", "v": "=2\t-1\t+d"}}, version)
        ask(f"0:e:note-1.{version}", f"0:e:note-1.{version}\n")
        ask("h:0", "h:")


if __name__ == "__main__":
    main(sys.argv[1])
