"""Each mistake of a CommCare client is named by its rule, and nothing else is blamed on it.

Mistakes that show only after a while, such as a stale sync token, are in the unit tests.
"""

from __future__ import annotations

import json
import re

import pytest
from breaking import BreakingRelay, Mistake, again, changing
from faults import commcare_fixture, faulty_fixture
from peers import case_xml
from programs import tapedeck
from test_client_commcare import FORM, client

__all__ = ["commcare_fixture", "faulty_fixture"]

TOKEN = "X-CommCareHQ-LastSyncToken"


def on_forms(change):
    """A mistake in submissions alone."""
    return changing(lambda asked: change(asked) if asked.is_form else asked)


def on_restores(change):
    """A mistake in restores alone."""
    return changing(lambda asked: change(asked) if asked.is_restore else asked)


def clinging(asked, ask, memory):
    """Asks for what is new since the token that the server gave up."""
    if asked.is_restore:
        if "since=" in asked.target:
            memory["since"] = re.search("since=([^&]*)", asked.target)[1]
        elif "since" in memory:
            asked = asked.asking(since=memory["since"], state="ccsh:")
    return ask(asked)


def twice_as_new(asked, ask, memory):
    """Sends a form again as a new one when no answer came."""
    answer = ask(asked)
    if answer is None and asked.is_form:
        return ask(asked.saying("<instanceID>([^<]*)</instanceID>",
                                r"<instanceID>\1-again</instanceID>"))
    return answer


MISTAKES = [
    Mistake("states no OpenRosa version", "commcare.headers.version-missing",
            changing(lambda asked: asked.without("X-OpenRosa-Version"))),
    Mistake("states another OpenRosa version", "commcare.headers.version-value",
            changing(lambda asked: asked.having("X-OpenRosa-Version", "2.1"))),
    Mistake("writes header names with underscores", "commcare.headers.underscore", also=frozenset({"commcare.headers.version-missing"}),
            play=changing(lambda asked: asked.without("X-OpenRosa-Version").having(
                "X_OPENROSA_VERSION", "3.0"))),
    Mistake("names no device", "commcare.headers.device-missing",
            changing(lambda asked: asked.without("x-openrosa-deviceid"))),
    Mistake("states two sync tokens", "commcare.sync.token-differs",
            on_restores(lambda asked: asked.having(TOKEN, "0" * 32) if asked.field(TOKEN) else asked)),
    Mistake("clings to its token after 412", "commcare.sync.incremental-after-412", clinging,
            faults=("api:commcare.restore => 412 nth=2",)),
    Mistake("states its cases without prefix", "commcare.sync.state-malformed",
            on_restores(lambda asked: asked.asking(state="0" * 32)
                        if "state=" in asked.target else asked)),
    Mistake("does not state its cases", "commcare.sync.since-without-state", on_restores(lambda asked: asked.asking(state=None))),
    Mistake("asks again before it may", "commcare.sync.polled-early",
            again(lambda _, answer: answer.status == 202),
            faults=("api:commcare.restore => 202 retry-after=2 first=3",)),
    Mistake("sends a form again after 422", "commcare.submit.resent-after-422",
            again(lambda asked, answer: asked.is_form and answer.status == 422),
            faults=("api:commcare.submit => 422 first=1",)),
    Mistake("asks again at once after 429", "commcare.retry.at-once",
            again(lambda _, answer: answer.status == 429, times=1),
            faults=("api:commcare.submit => 429 retry-after=60 first=2",)),
    Mistake("asks again at once after 503", "commcare.retry.at-once",
            again(lambda _, answer: answer.status == 503, times=1),
            faults=("api:commcare.restore => 503 first=2",)),
    Mistake("asks again after 406", "commcare.retry.after-406",
            again(lambda _, answer: answer.status == 406),
            faults=("api:commcare.restore => 406 first=3",)),
    Mistake("sends two forms in one submission", "commcare.submit.form-part-repeated",
            on_forms(lambda asked: asked.saying(
                r"(--[^\r]*)(\r\n.*)(\r\n)(\1--)", r"\1\2\r\n\1\2\r\n\1--"))),
    Mistake("calls its form plain text", "commcare.submit.form-part-type",
            on_forms(lambda asked: asked.saying("text/xml", "text/plain"))),
    Mistake("sends forms without instanceID", "commcare.form.instance-id-missing",
            on_forms(lambda asked: asked.saying("<instanceID>[^<]*</instanceID>", ""))),
    Mistake("sends another form under the same instanceID", "commcare.form.instance-id-reused",
            again(lambda asked, answer: asked.is_form, times=1,
                  change=lambda asked: asked.saying("<case_name>n<", "<case_name>m<"))),
    Mistake("sends a form again that was accepted", "commcare.submit.resent-after-success",
            again(lambda asked, answer: asked.is_form and answer.status == 201, times=1)),
    Mistake("tries refused credentials again", "commcare.retry.same-credentials",
            again(lambda _, answer: answer.status == 401),
            faults=("api:commcare.restore => 401 first=3",)),
    Mistake("makes a new form of one whose answer was lost", "commcare.story.duplicate-form", twice_as_new,
            faults=("api:commcare.submit => lose-answer first=1",)),
]


def blamed(trace) -> dict[str, list[str]]:
    """What is said of the client, by rule; notes left out."""
    said: dict[str, list[str]] = {}
    for line in tapedeck("diagnose", trace, "--json", "--fail-on", "never").stdout.splitlines():
        finding = json.loads(line)
        if finding["blames"] == "client" and finding.get("kind") != "undecided":
            said.setdefault((finding["rule"], finding["severity"]), []).append(finding["message"])
    return said


def play(mistake: Mistake, deck, tmp_path) -> None:
    """Lets the built-in client work through a relay with the mistake."""
    relay = BreakingRelay(deck.url, mistake)
    try:
        for step in mistake.flow:
            if step == "sync":
                client(relay.url, tmp_path / "state", "sync")
            else:
                filled = tmp_path / f"{step}.xml"
                filled.write_text(FORM.replace("form-1", step).replace('"mine"', f'"{step}"').replace(
                    "<instanceID>", "<timeStart>2026-01-01T00:00:00Z</timeStart>"
                    "<timeEnd>2026-01-01T00:01:00Z</timeEnd><instanceID>"))
                client(relay.url, tmp_path / "state", "submit", filled)
    finally:
        relay.shutdown()
        relay.server_close()


@pytest.mark.parametrize("mistake", MISTAKES, ids=str)
def test_a_broken_client_is_named_by_its_rule(mistake, faulty, commcare, tmp_path):
    commcare.cases = [case_xml("theirs")]
    deck = faulty(commcare.url, *mistake.faults)
    play(mistake, deck, tmp_path)
    deck.finish()
    said = blamed(deck.trace)
    rules = {rule for rule, _ in said}
    assert mistake.rule in rules, said
    others = {rule: text for (rule, severity), text in said.items()
              if severity != "info" and rule != mistake.rule and rule not in mistake.also}
    assert not others, others


@pytest.mark.parametrize("faults", sorted({mistake.faults for mistake in MISTAKES}), ids=str)
def test_the_client_as_it_is_breaks_no_rule(faults, faulty, commcare, tmp_path):
    commcare.cases = [case_xml("theirs")]
    deck = faulty(commcare.url, *faults)
    play(Mistake("none", "", changing(lambda asked: asked)), deck, tmp_path)
    deck.finish()
    assert not {rule: text for (rule, severity), text in blamed(deck.trace).items()
                if severity != "info"}
