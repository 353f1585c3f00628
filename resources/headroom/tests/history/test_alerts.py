# SPDX-License-Identifier: Apache-2.0
"""The log of alerts: what is open, what became of it, and what is no entry."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from headroom.core.errors import UsageError
from headroom.history.alerts import Alert, AlertBook, ChangedCase, ChangedSeries, closing, identity, parse, reopening
from headroom.tests.history.support import HOSTILE, KEY, night

CHANGED = ChangedSeries(KEY.id, str(KEY), KEY.test, KEY.metric, "ns", 100.0, 105.0, 0.05, night(3), 1.049, "evidence")
ALERT = Alert("20260904T020000Z-regression", night(3), "rack", "regression", True, "old", "new", (CHANGED,))

CASE = ChangedCase("conformance/rohc/A", "pass", "fail")


def book(*entries: dict[str, Any]) -> AlertBook:
    return parse(entries)


def test_an_alert_survives_the_log() -> None:
    hostile = [
        replace(
            ALERT,
            id=text,
            machine=text,
            old_commit=text,
            cases=(ChangedCase(*[text] * 4),),
            series=(replace(CHANGED, evidence=text),),
        )
        for text in HOSTILE
    ]
    found = book(*(one.opened() for one in hostile))
    assert list(found.alerts.values()) == hostile
    assert found.open == hostile


@pytest.mark.parametrize(("action", "right"), [("accepted", 1), ("fixed", 1), ("ignored", 0), ("superseded", 1)])
def test_an_action_closes_it(action: str, right: int) -> None:
    found = book(ALERT.opened(), closing(ALERT, action, "why", night(5)))
    (only,) = found.alerts.values()
    assert (only.state, only.reason, only.closed, only.is_open) == (action, "why", "2026-09-06T02:00:00+00:00", False)
    assert found.open == []
    assert found.alerted() == {}
    assert found.precision == (right, 1)


def test_unconfirmed_alerts_count_for_no_precision() -> None:
    unsure = replace(ALERT, confirmed=False)
    assert book(unsure.opened(), closing(unsure, "ignored", "why", night(5))).precision == (0, 0)


def test_the_first_action_counts() -> None:
    first, second = closing(ALERT, "accepted", "first", night(5)), closing(ALERT, "ignored", "second", night(6))
    (only,) = book(ALERT.opened(), first, second, ALERT.opened()).alerts.values()
    assert (only.state, only.reason) == ("accepted", "first")


def test_what_later_versions_add_is_no_harm() -> None:
    entry = ALERT.opened()
    entry["energy"] = 3
    entry["series"][0]["energy"] = 3
    assert book(entry).open == [ALERT]


@pytest.mark.parametrize(
    "change",
    [
        {"direction": "sideways"},
        {"night": "tomorrow"},
        {"night": 5},
        {"series": [{}]},
        {"series": [5]},
        {"series": 5},
        {"series": [{**CHANGED.as_json(), "step": "much"}]},
        {"series": [{**CHANGED.as_json(), "value": None}]},
        {"series": [{**CHANGED.as_json(), "first_night": "x"}]},
        {"action": "opens"},
        {"action": "accepted"},
        {"cases": 5},
        {"cases": ["pass"]},
        {"cases": [5]},
        {"cases": [{"test": "x"}]},
    ],
)
def test_entries_that_are_no_alerts_are_left_out(change: dict[str, Any]) -> None:
    known = replace(ALERT, id="known")
    assert book({**ALERT.opened(), **change}, {}, known.opened()).open == [known]


def test_alerts_are_found_by_a_beginning() -> None:
    other = replace(ALERT, id="20260905T020000Z-verdict")
    found = book(ALERT.opened(), other.opened())
    assert found.find(ALERT.id) == ALERT
    assert found.find("20260904") == ALERT
    assert found.find("last") == other
    for name, words in (("2026", "Several alerts begin with"), ("unknown", "There is no alert")):
        with pytest.raises(UsageError, match=f"{words} '{name}'. Open alerts: 20260904T020000Z-regression, 20260905"):
            found.find(name)
    with pytest.raises(UsageError, match=r"There is no alert 'last'\. Open alerts: none"):
        AlertBook().find("last")


def test_closing_asks_for_a_reason_and_an_open_alert() -> None:
    with pytest.raises(UsageError, match="reason"):
        closing(ALERT, "ignored", "  ", night(5))
    with pytest.raises(UsageError, match="fixed already"):
        closing(replace(ALERT, state="fixed"), "accepted", "why", night(5))


def test_identities_are_new() -> None:
    first = identity(night(3), "regression", True, [])
    second = identity(night(3), "regression", True, [first])
    assert (first, second) == ("20260904T020000Z-regression", "20260904T020000Z-regression-2")
    assert identity(night(3), "regression", False, [first]) == "20260904T020000Z-unconfirmed-regression"


def test_what_was_closed_by_mistake_is_reopened() -> None:
    ignored = closing(ALERT, "ignored", "a fan", night(5))
    closed = replace(ALERT, state="ignored")
    again = reopening(closed, "it is back", night(6))
    assert book(ALERT.opened(), ignored, again).open == [ALERT]
    later = closing(ALERT, "accepted", "wanted", night(7))
    assert book(ALERT.opened(), ignored, again, later).alerts[ALERT.id].state == "accepted"
    with pytest.raises(UsageError, match="is open"):
        reopening(ALERT, "", night(6))


def test_cases_of_earlier_versions_are_sentences() -> None:
    sentences = ["conformance/rohc/A: B: pass → fail (bad (very) CRC)", "x: pass → error"]
    (only,) = book({**ALERT.opened(), "cases": sentences}).open
    assert only.cases == (
        ChangedCase("conformance/rohc/A: B", "pass", "fail", "bad (very) CRC"),
        ChangedCase("x", "pass", "error"),
    )


def test_a_machine_has_alerts_of_its_own() -> None:
    other = replace(ALERT, id="other", machine="lab")
    assert list(book(ALERT.opened(), other.opened()).of("rack").alerts) == [ALERT.id]


def test_a_confirmed_alert_of_a_series_comes_before_others() -> None:
    unsure = replace(ALERT, id="unsure", confirmed=False)
    for order in ((ALERT, unsure), (unsure, ALERT)):
        assert book(*(one.opened() for one in order)).alerted() == {KEY.id: ALERT}


def test_the_alert_closed_last_is_found() -> None:
    other = replace(ALERT, id="20260905T020000Z-verdict")
    entries = [ALERT.opened(), other.opened(), closing(other, "ignored", "a fan", night(5))]
    assert book(*entries, closing(ALERT, "fixed", "", night(6))).last_closed().id == ALERT.id
    with pytest.raises(UsageError, match="No alert is closed"):
        book(ALERT.opened()).last_closed()


def test_entries_that_are_no_alerts_are_named() -> None:
    warnings: list[str] = []
    strange = [{"alert": "unknown", "action": "ignored"}, {**ALERT.opened(), "night": "tomorrow"}, {"nothing": 1}]
    parse([*strange, ALERT.opened()], warnings.append)
    assert len(warnings) == 3
    assert all("alerts.jsonl" in one for one in warnings)
    assert "tomorrow" in warnings[1]


@pytest.mark.parametrize(
    ("cases", "title"), [(1, "verdict: 1 case"), (2, "verdict: 2 cases"), (11, "verdict: 11 cases")]
)
def test_titles_count_cases(cases: int, title: str) -> None:
    assert Alert("x", night(0), "m", "verdict", True, "", "", (), (CASE,) * cases).title == title


def test_titles_say_what_is_not_confirmed() -> None:
    assert ALERT.title == "regression: 1 series"
    assert replace(ALERT, confirmed=False).title == "unconfirmed regression: 1 series"
