# SPDX-License-Identifier: Apache-2.0
"""Figure 3 of the Effnet paper, and the interval that it rests on (RFC 3095, 4.5.1)."""

from __future__ import annotations

import pytest

from headroom.schemes.rohc.papers import wlsb_years

YEARS = range(1800, 1900)


def test_the_papers_112_octets() -> None:
    sent = wlsb_years.encode(YEARS)
    assert sum(len(item.digits) for item in sent) == 112
    assert sum(len(str(year)) for year in YEARS) == 400


def test_each_decade_establishes_a_context() -> None:
    sent = wlsb_years.encode(YEARS)
    assert [item.value for item in sent if item.establishes] == list(range(1800, 1900, 10))
    assert sent[0].digits == "1800"
    assert sent[1].digits == "1"
    assert sent[10].digits == "10"


@pytest.mark.parametrize("values", [YEARS, range(7, 10_000, 7), [5, 5, 5, 14, 15, 115, 1_000_000]])
def test_what_was_sent_suffices(values: list[int]) -> None:
    assert wlsb_years.restore(wlsb_years.encode(values)) == list(values)


def test_interpretation_interval() -> None:
    assert wlsb_years.digits_needed(1809, 1800) == 1
    assert wlsb_years.digits_needed(1810, 1800) == 2
    assert wlsb_years.digits_needed(1799, 1800, offset=1) == 1
    assert wlsb_years.decode("9", 1800, offset=1) == 1799
    with pytest.raises(ValueError, match="below the interpretation interval"):
        wlsb_years.digits_needed(1799, 1800)
