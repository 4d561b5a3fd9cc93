"""The mutants that `shim.py` makes of the built-in client, and where `tapedeck certify` catches them."""

from __future__ import annotations

import sys

from mutants import HERE, Mutant
from programs import TAPEDECK

BUILT_IN = "built-in"


def simperium(name: str, what: str, scenario: str, case: str = "", says: str = "") -> Mutant:
    """A mutant of `shim_simperium.py`."""
    case = case and f"simperium.{case}"
    return Mutant(name, "simperium", what, scenario, case, says, client=BUILT_IN)


def commcare(name: str, what: str, scenario: str, case: str = "", says: str = "") -> Mutant:
    """A mutant of `shim_commcare.py`."""
    return Mutant(name, "commcare", what, scenario, case, says, client=BUILT_IN)


MUTANTS = (
    simperium("forgets-unacknowledged", "a change without an answer is not sent again",
              "lost-change", "change.never-resent"),
    simperium("resends-before-cv", "it sends again before it knows what was missed",
              "lost-acknowledgement", "session.resend-before-cv"),
    simperium("new-ccid", "and under another ccid", "lost-acknowledgement",
              "session.change-before-index", says="{+ and two+}"),
    simperium("no-cv", "it never asks what it missed", "offline-edits",
              "session.change-before-index"),
    simperium("index-always", "it reads the whole index again, though it has a cv",
              "restart-in-sync", "index.instead-of-cv"),
    simperium("ignores-cv-unknown", "it goes on as if it knew everything after cv:?",
              "cv-unknown", "cv.unknown-ignored"),
    simperium("repeats-cv", "it asks with the same cv again after cv:?", "cv-unknown",
              "cv.unknown-repeated"),
    simperium("same-token", "it goes on with a token that was refused", "auth-refused",
              "auth.same-token-again"),
    simperium("new-client-id", "it has another client id on each connection", "lost-change",
              "session.client-id-changed"),
    simperium("index-before-init", "it reads the index before its channel is open", "first-sync",
              "session.command-before-init"),
    simperium("forgets-queue", "edits made offline are gone after the reconnection",
              "offline-edits", says="mine is not on the server"),
    simperium("sends-late", "it sends an edit after the next reconnection", "reconnect",
              says="before the connection is cut"),
    simperium("echoes", "it sends changes of others back as its own", "remote-changes",
              "story.echo"),
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
    simperium("wrong-length", "its deltas keep fewer code units than there are", "unicode",
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
    simperium("wraps-data", "the whole object is in a wrapper", "refused-440",
              "change.data-differs"),
    simperium("gives-up-503", "it forgets a change after 503", "overloaded",
              says="[- and two-]"),
    simperium("takes-409", "it takes 409 for an acknowledgement, and asks for nothing",
              "refused-409", "change.sv-ahead", says="[- and t-]"),
    simperium("no-cool-down", "it sends again at once after 503", "overloaded",
              "change.retry-at-once"),
    simperium("resends-400", "it sends a bad request again", "refused-400",
              "change.resend-after-400"),
    simperium("resends-409", "it sends again what the server has", "refused-409",
              "change.resend-after-409"),
    simperium("resends-412", "it sends again what changes nothing", "refused-412",
              "change.resend-after-412"),
    simperium("resends-413", "it sends again what is too large", "refused-413",
              "change.resend-after-413"),
    simperium("diff-after-404", "it sends the same diff again after 404", "refused-404",
              "change.diff-after-404"),
    simperium("diff-after-405", "it sends the same diff again after 405", "refused-405",
              "change.diff-after-405"),
    simperium("diff-after-440", "it sends the same diff again after 440", "refused-440",
              "change.diff-after-440"),
    commcare("no-token", "submissions have no sync token", "login",
             "commcare.submit.token-missing"),
    commcare("old-token", "its submissions keep the first sync token", "login",
             "commcare.sync.token-stale"),
    commcare("no-version", "it sends no X-OpenRosa-Version", "login",
             "commcare.headers.version-missing"),
    commcare("no-device-id", "it sends no device id", "login", "commcare.headers.device-missing"),
    commcare("no-cookie", "it ignores cookies", "cookie", "http.cookies-ignored"),
    commcare("no-state", "it asks since a token without its state", "login",
             "commcare.sync.since-without-state"),
    commcare("new-instance-id", "a form that is sent again has another instanceID", "lost-answer",
             "commcare.story.duplicate-form", says="which no step submits"),
    commcare("submits-twice", "it submits each form twice", "login",
             "commcare.submit.resent-after-success"),
    commcare("no-attachment", "it sends forms without their photos", "attachment",
             "commcare.submit.attachment-missing"),
    commcare("no-cool-down", "it sends again at once after 503", "form-503",
             "commcare.retry.at-once"),
    commcare("ignores-retry-after", "it sends again before Retry-After", "form-429",
             "commcare.retry.before-retry-after"),
    commcare("polls-early", "it polls before Retry-After", "restore-202",
             "commcare.sync.polled-early"),
    commcare("gives-up-202", "it never asks again after 202", "restore-202",
             "commcare.sync.poll-abandoned"),
    commcare("resends-422", "it sends again what was refused for good", "form-422",
             "commcare.submit.resent-after-422"),
    commcare("stops-at-422", "a refused form holds up the others", "form-422",
             says="visit-2.xml is not on the server"),
    commcare("resends-4xx", "it sends a bad form again", "form-400", "commcare.retry.after-4xx"),
    commcare("insists", "it tries again at once after 406", "form-406", "commcare.retry.after-406"),
    commcare("same-credentials", "it sends refused credentials again and again", "form-401",
             "commcare.retry.same-credentials"),
    commcare("chunks-again", "it sends chunks again after 411", "chunks", "http.chunked-refused"),
    commcare("forgets-unsent", "a form that failed is gone", "form-500",
             "commcare.sync.before-forms", says="register.xml is not on the server"),
    commcare("takes-html", "it takes a page in HTML for the answer to a form", "captive-portal",
             "commcare.submit.forgotten", says="register.xml is not on the server"),
    commcare("last-first", "it sends the newest form first", "queue",
             "commcare.form.time-backwards"),
    commcare("restore-first", "it restores before it sends what waits", "form-503",
             "commcare.sync.before-forms"),
    commcare("no-purge", "it keeps closed cases", "login", "commcare.sync.state-hash"),
    commcare("since-after-412", "it goes on with the token after 412", "restore-412",
             "commcare.sync.incremental-after-412"),
    commcare("token-of-others", "it uses the token of another user", "second-user",
             "commcare.sync.token-of-another-user"),
    commcare("no-sync-after-claim", "it does not sync after a claim", "claim",
             "commcare.sync.missing-after-claim"),
)


def command(mutant: str) -> list:
    """The built-in client behind a mutant; behind a shim that changes nothing for ""."""
    return [sys.executable, HERE / "shim.py", mutant or "none", TAPEDECK, "certify", "drive"]
