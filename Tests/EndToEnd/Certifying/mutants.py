"""The mutants of the two small clients: what each forgets, and where `tapedeck certify` catches it.

`shim_mutants.py` has those of the built-in client.
"""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from programs import TAPEDECK, environment

HERE = Path(__file__).parent


@dataclass(frozen=True)
class Mutant:
    """A client that forgets one duty."""

    name: str
    suite: str
    what: str
    # The scenario that catches it.
    scenario: str
    # The case that fails in it, or is not exercised; "" where the wire alone shows no mistake: what was
    # never sent, or what a person could have done as well.
    case: str = ""
    # What the scenario says then, in part; beside the case where there is one.
    says: str = ""
    # The client that it is made of.
    client: str = "small"


def simperium(name: str, what: str, scenario: str, case: str = "", says: str = "") -> Mutant:
    """A mutant of `second_client.py`."""
    return Mutant(name, "simperium", what, scenario, case and f"simperium.{case}", says)


def commcare(name: str, what: str, scenario: str, case: str = "", says: str = "") -> Mutant:
    """A mutant of `second_device.py`."""
    return Mutant(name, "commcare", what, scenario, case, says)


MUTANTS = (
    simperium("forgets-unacknowledged", "a change without an answer is not sent again",
              "lost-change", "change.never-resent", says="[- and two-]"),
    simperium("resends-before-cv", "it sends again before it knows what was missed",
              "lost-acknowledgement", "session.resend-before-cv"),
    simperium("new-ccid", "and under another ccid", "lost-acknowledgement",
              "session.change-before-index", says="{+ and two+}"),
    simperium("no-cv", "after a reconnection it does not ask what it missed", "offline-edits",
              "session.change-before-index"),
    simperium("index-always", "it reads the whole index again, though it has a cv",
              "restart-in-sync", "index.instead-of-cv"),
    simperium("ignores-cv-unknown", "it goes on as if it knew everything after cv:?",
              "cv-unknown", "cv.unknown-ignored", says="the fault unknown"),
    simperium("repeats-cv", "it asks with the same cv again after cv:?",
              "cv-unknown", "cv.unknown-repeated"),
    simperium("diff-after-440", "it sends the same diff again after 440",
              "refused-440", "change.diff-after-440"),
    simperium("diff-after-405", "it sends the same diff again after 405",
              "refused-405", "change.diff-after-405"),
    simperium("diff-after-404", "it sends the same diff again after 404",
              "refused-404", "change.diff-after-404"),
    simperium("resends-400", "it sends a bad request again", "refused-400",
              "change.resend-after-400"),
    simperium("resends-413", "it sends again what is too large", "refused-413",
              "change.resend-after-413"),
    simperium("resends-412", "it sends again what changes nothing", "refused-412",
              "change.resend-after-412"),
    simperium("resends-409", "it sends again what the server has", "refused-409",
              "change.resend-after-409"),
    simperium("no-cv-after-409", "it does not ask what it missed after 409", "refused-409",
              "change.no-cv-after-409"),
    simperium("no-cool-down", "it sends again at once after 503", "overloaded",
              "change.retry-at-once"),
    simperium("gives-up-503", "it forgets a change after 503", "overloaded",
              says="[- and two-]"),
    simperium("same-token", "it goes on with a token that was refused", "auth-refused",
              "auth.same-token-again"),
    simperium("doubles-text", "it inserts its own text again once the change is acknowledged",
              "reconnect", says="one and two{+ and two+}"),
    simperium("forgets-queue", "edits made offline are gone after the reconnection",
              "offline-edits", says="mine is not on the server"),
    simperium("no-rebase", "its edit goes over that of another client",
              "offline-edits", says="[-a -]"),
    simperium("echoes", "it sends changes of others back as its own", "remote-changes"),
    simperium("brings-back", "it makes an object again that another client removed",
              "remote-removal", "remote.brought-back", says="old-0 is again on the server"),
    simperium("no-sv", "changes have no source version", "edits", "change.no-sv"),
    simperium("two-in-flight", "it does not wait for the answer to the last change of an object",
              "fast-edits", "change.second-in-flight"),
    simperium("no-heartbeat", "it sends no heartbeats", "idle", "heartbeat.missing"),
    simperium("stuck-heartbeat", "its heartbeats always have the same number", "idle",
              "heartbeat.not-incremented"),
    simperium("waits-for-ever", "it stays on a connection on which nothing comes any more",
              "silent-server", "heartbeat.dead-connection"),
    simperium("code-points", "it counts code points in deltas, not UTF-16 code units", "unicode",
              "diff.wrong-length"),
    simperium("first-page", "it reads the first page of the index alone", "first-sync",
              "index.unfinished", says="did not read the whole index"),
    simperium("no-reconnect", "it does not reconnect when the server closes the connection",
              "service-restart", "session.no-reconnect", says="mine is not on the server"),
    simperium("reconnect-storm", "it reconnects without a pause", "server-closes",
              "session.reconnect-storm"),
    simperium("ignores-gap", "it applies a change for a version that it does not have",
              "version-gap", "remote.not-reloaded"),
    simperium("removes-with-value", "a removal has a value", "edits", "change.remove-with-value"),
    simperium("no-removal", "removals are never sent", "edits", says="was to be removed"),
    commcare("no-cool-down", "it sends again at once after 503", "form-503",
             "commcare.retry.at-once"),
    commcare("ignores-retry-after", "it sends again before Retry-After", "form-429",
             "commcare.retry.before-retry-after"),
    commcare("resends-422", "it sends again what was refused for good", "form-422",
             "commcare.submit.resent-after-422"),
    commcare("stops-at-422", "a refused form holds up the others", "form-422",
             says="visit-2.xml is not on the server"),
    commcare("resends-4xx", "it sends a bad form again", "form-400", "commcare.retry.after-4xx"),
    commcare("insists", "it tries again at once after 406", "form-406", "commcare.retry.after-406"),
    commcare("last-first", "it sends the newest form first", "queue",
             "commcare.form.time-backwards"),
    commcare("restore-first", "it restores before it sends what waits", "form-503",
             "commcare.sync.before-forms"),
    commcare("forgets-unsent", "a form that failed is gone", "form-500",
             "commcare.sync.before-forms", says="register.xml is not on the server"),
    commcare("takes-html", "it takes a page in HTML for the answer to a form", "captive-portal",
             "commcare.submit.forgotten", says="register.xml is not on the server"),
    commcare("new-instance-id", "a form that is sent again has another instanceID", "lost-answer",
             "commcare.story.duplicate-form", says="which no step submits"),
    commcare("submits-twice", "it submits each form twice", "login",
             "commcare.submit.resent-after-success"),
    commcare("no-attachment", "it sends forms without their photos", "attachment",
             "commcare.submit.attachment-missing"),
    commcare("no-token", "submissions have no sync token", "login",
             "commcare.submit.token-missing"),
    commcare("old-token", "its submissions keep the first sync token", "login", "commcare.sync.token-stale"),
    commcare("no-purge", "it keeps closed cases", "login", says="the server refused"),
    commcare("no-state", "it asks since a token without its state", "login",
             "commcare.sync.since-without-state"),
    commcare("since-after-412", "it goes on with the token after 412", "restore-412",
             "commcare.sync.incremental-after-412"),
    commcare("polls-early", "it polls before Retry-After", "restore-202",
             "commcare.sync.polled-early"),
    commcare("gives-up-202", "it never asks again after 202", "restore-202",
             "commcare.sync.poll-abandoned"),
    commcare("keeps-half", "it takes the token of half a restore", "cut-restore",
             says="the server refused"),
    commcare("token-of-other-user", "it uses the token of another user", "second-user",
             "commcare.sync.token-of-another-user"),
    commcare("token-of-other-device", "it uses the token of another device", "second-device",
             "commcare.sync.token-of-another-device"),
    commcare("token-for-ever", "it uses a token of 64 days ago", "long-absence",
             "commcare.sync.token-too-old"),
    commcare("no-sync-after-claim", "it does not sync after a claim", "claim",
             "commcare.sync.missing-after-claim"),
    commcare("no-cookie", "it ignores cookies", "cookie", "http.cookies-ignored"),
    commcare("chunks-again", "it sends chunks again after 411", "chunks", "http.chunked-refused"),
    commcare("no-version", "it sends no X-OpenRosa-Version", "login",
             "commcare.headers.version-missing"),
    commcare("no-device-id", "it sends no device id", "login",
             "commcare.headers.device-missing"),
)

CLIENTS = {"simperium": HERE / "second_client.py", "commcare": HERE / "second_device.py"}


def certify(suite: str, mutant: str, scenarios: tuple[str, ...], folder: Path,
            *options: str, command: list | None = None) -> tuple[int, dict]:
    """Certifies a small client, a mutant of it, or another client; exit status and report."""
    folder.mkdir(parents=True, exist_ok=True)
    report = folder / "report.json"
    done = subprocess.run(
        [TAPEDECK, "certify", suite, "--output", folder / "out", "--ca-dir", folder / "ca",
         "--json", report, "--strict",
         *(word for name in scenarios for word in ("--case", name)), *options,
         "--", *(command or [sys.executable, CLIENTS[suite], *([mutant] if mutant else [])])],
        env=environment(PYTHONDONTWRITEBYTECODE="1"), stdin=subprocess.DEVNULL,
        capture_output=True, text=True, timeout=600, check=False)
    if not report.exists():
        raise AssertionError(f"{mutant or suite}: {done.stderr}")
    return done.returncode, json.loads(report.read_text(encoding="utf-8"))


def escape(mutant: Mutant, status: int, report: dict) -> str:
    """Why a mutant was not caught as it has to be; empty where it was."""
    failed = {one["case"] for one in report["cases"] if one["verdict"] == "failed"
              or one["verdict"] == "not exercised" and one["required"]}
    said = [failure["message"] for one in report["scenarios"] for failure in one["failures"]]
    if status != 1:
        return f"exit status {status}"
    if mutant.case and mutant.case not in failed:
        return f"{mutant.case} did not fail; failed: {sorted(failed)}, {said}"
    if mutant.says and not any(mutant.says in message for message in said):
        return f"the scenario did not fail with {mutant.says!r}: {said}; failed: {sorted(failed)}"
    return ""
