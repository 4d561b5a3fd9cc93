"""Filters that a fleet and its traces have to answer alike, and how they are asked."""

from __future__ import annotations

import json
from pathlib import Path

from programs import tapedeck

FILTERS = (
    "", "status>=400", "not status:200", "host:127.0.0.1 path~busy", "header.user-agent~curl",
    "request.header.Host:*", "response.header.content-type:text/*", "body~submit", "body:*",
    "text:form", '"form received"', "command:c", "bucket:* key:*", "sender:server", "error:*",
    "kind:message", "opcode:text", "kind:message body~hello", "finding:error", "finding:*",
    "not finding:*", "undecided:*", "fault:busy", "verdict:*", "intervention:*", "fate!=same",
    "note:*", "document:*", "nature:submit_success", "instance:uuid*", "duration>1ms",
    "size>1KiB or size<10", "at<1h", "at>=2020-01-01", "at:00:00..23:59", "url~/[a-z]+=/",
    "id:1..3", "session:2", "connection:1", "command:{c,e,i} not error:*", "ccid:*", "operation:M",
    "sv:* ev:*", "cv:*", "channel:0", "app:*", "device:*", "retry-after:*", "problem:*", "local:yes",
)


def lines(*arguments: str | Path) -> list[dict]:
    """The lines of `ls --json`."""
    return [json.loads(line) for line in tapedeck("ls", *arguments, "--json").stdout.splitlines()]


def bare(found: list[dict]) -> list[dict]:
    """Lines without what only those of a fleet have."""
    return [{name: value for name, value in line.items() if name not in ("recorder", "labels")}
            for line in found]


def view(name: str, url: str, *more: str) -> list[dict]:
    """A view as JSON."""
    return [json.loads(line)
            for line in tapedeck("fleet", name, url, *more, "--json").stdout.splitlines()]
