# SPDX-License-Identifier: Apache-2.0
"""Options of runs about calls through a P-CSCF, of which one that is not held is no call in progress."""

from headroom.core.options import Option, Rows, number

ROWS = Rows(
    "Calls Should Be Served",
    "calls through a P-CSCF whose number and length can be set",
    "performance/sip_calls or a row of it that has such calls",
)
CALLS = Option(
    "calls",
    None,
    number("calls", 1, 4_000_000, "calls", int),
    "Calls in progress at a P-CSCF (performance/sip_calls); those of its rows when left out.",
    int,
    later=True,
    rows=ROWS,
)
HOLDING = Option(
    "holding",
    None,
    number("holding", 0.1, 1e6, "seconds"),
    "How long such a call is held, in seconds (180 for voice, 300 for video).",
    float,
    later=True,
    rows=ROWS,
)
ANSWER = Option(
    "answer",
    None,
    number("answer", 0, 1e6, "seconds"),
    "How long until it is answered, in seconds (5).",
    float,
    later=True,
    rows=ROWS,
)
OPTIONS = (CALLS, HOLDING, ANSWER)
