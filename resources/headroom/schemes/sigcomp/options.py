# SPDX-License-Identifier: Apache-2.0
"""Options of runs with calls through a P-CSCF."""

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
    "Calls in progress at a P-CSCF (performance/sip_calls); if left out, as each row says.",
    int,
    later=True,
    rows=ROWS,
)
HOLDING = Option(
    "holding",
    None,
    number("holding", 0.1, 1e6, "seconds"),
    "Holding time of such a call, in seconds (180 for voice, 300 for video).",
    float,
    later=True,
    rows=ROWS,
)
ANSWER = Option(
    "answer",
    None,
    number("answer", 0, 1e6, "seconds"),
    "Time until such a call is answered, in seconds (5).",
    float,
    later=True,
    rows=ROWS,
)
OPTIONS = (CALLS, HOLDING, ANSWER)
