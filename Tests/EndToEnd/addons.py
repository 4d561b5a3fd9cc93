"""Add-ons that tests write, start and spoil."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path

from programs import ROOT

MODULE = ROOT / "Sources/Addons/Python"
HEAD = f"import sys\nsys.path.insert(0, {str(MODULE)!r})\nfrom tapedeck_addon import *\n"


def write_addon(folder: Path, text: str, name: str = "addon.py") -> str:
    """The command that runs an add-on made of these lines; `run()` is added."""
    path = folder / name
    path.write_text(HEAD + text + "\nrun()\n")
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(path))}"


def write_program(folder: Path, text: str, name: str = "program.py") -> str:
    """The command that runs a program without the module: `read()` gives a line that it gets."""
    path = folder / name
    path.write_text("import json, os, signal, sys, time\n"
                    "def read(): return json.loads(sys.stdin.readline() or '{\"event\":\"end\"}')\n"
                    "def say(**line): print(json.dumps(line), flush=True)\n" + text + "\n")
    return f"{shlex.quote(sys.executable)} {shlex.quote(str(path))}"


# What goes wrong with an add-on after its hello and the first event: a name, its lines, and what is reported.
BROKEN = {
    "hangs": ("signal.pause()", "it wrote nothing for"),
    "dies": ("os._exit(3)", "it exited with status 3"),
    "is-killed": ("os.kill(os.getpid(), 9)", "it was ended by signal 9"),
    "half-a-line": ("os.write(1, b'{\"id\":1,'); os._exit(0)", "exited with status 0, within a line of its output"),
    "closes-its-output": ("os.close(1); signal.pause()", "it was ended by signal 9"),
    "nonsense": ("print('hello', flush=True); signal.pause()", "is not understood: not a JSON value"),
    "an-unknown-id": ("say(id=999, verdict='pass'); signal.pause()", "no event with id 999 waits for a verdict"),
    "a-second-verdict": ("say(id=1, verdict='pass'); say(id=1, verdict='drop'); signal.pause()",
                         "no event with id 1 waits for a verdict"),
    "100-mb": ("os.write(1, b'\"'); [sys.stdout.buffer.write(b'x' * 1000000) for _ in range(100)]",
               "a line is longer than 25165824 bytes"),
    "invalid-utf-8": ("os.write(1, b'{\"id\":1,\"verdict\":\"note\",\"text\":\"\\xff\"}\\n'); signal.pause()",
                      "a JSON string is not UTF-8 (byte 33 of the line)"),
    "floods": ("while True: say(id=1, verdict='note', text='again')",
               "more than 4096 marks, notes and messages without an event"),
}
HELLO = "read(); say(hello=1, on=[{'kinds': ['request', 'response', 'command', 'message']}]); event = read()\n"
