# SPDX-License-Identifier: Apache-2.0
"""Events that a receiver of RFC 4326 should record, by the names that its statistics give them."""

from __future__ import annotations

from collections.abc import Mapping

from headroom.schemes.ule.judge import receiver as judge

# Counters of errors, and the requirement by which each is to be recorded; "" if the RFCs leave it to receivers.
ERRORS = {
    "payload_pointer_errors": "RFC4326-7-3",
    "length_errors": "RFC4326-7.2-2",
    "crc_errors": "RFC4326-7.2-4",
    "type_errors": "RFC4326-7.2-10",
    "delimiting_errors": "RFC4326-7.2.1-2",
    "transmission_errors": "RFC4326-7.3-2",
    "continuity_errors": "RFC4326-7.3-6",
    "bridged_length_errors": "RFC4326-10-2",
    "ts_concat_size_mismatches": "RFC5163-3.1-2",
    "pdu_concat_size_mismatches": "RFC5163-3.2-15",
    "padding_errors": "",
    "sync_errors": "",
}

# What the judge's receiver notes, and the counters that stand for it.
OF_THE_JUDGE = {
    judge.POINTER_ERROR: ("payload_pointer_errors",),
    judge.LENGTH_ERROR: ("length_errors",),
    judge.CRC_ERROR: ("crc_errors",),
    judge.TYPE_ERROR: ("type_errors",),
    judge.REASSEMBLY_ERROR: ("delimiting_errors",),
    judge.TRANSMISSION_ERROR: ("transmission_errors",),
    judge.CONTINUITY_ERROR: ("continuity_errors",),
    judge.FRAME_ERROR: ("bridged_length_errors",),
    judge.PADDING_ERROR: ("padding_errors",),
    judge.SYNC_ERROR: ("sync_errors",),
    judge.CONCAT_ERROR: ("ts_concat_size_mismatches", "pdu_concat_size_mismatches"),
}


def differences(events: Mapping[str, int], statistics: Mapping[str, int]) -> list[str]:
    """Sentences on counters of errors that are not what the judge noted."""
    result = []
    for event, counters in OF_THE_JUDGE.items():
        expected = events.get(event, 0)
        counted = [statistics.get(counter) for counter in counters]
        if None in counted:
            if expected:
                result.append(f"the statistics have no {' and '.join(counters)}; the judge notes {expected}")
        elif sum(counted) != expected:
            result.append(f"{' and '.join(counters)}: {sum(counted)}, and the judge notes {expected}")
    return result
