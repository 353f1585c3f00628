# SPDX-License-Identifier: Apache-2.0
"""Events that a receiver of RFC 4326 should record, by the names that its statistics give them."""

from __future__ import annotations

# Counters of errors, and the requirement by which each is to be recorded; "" where the RFCs leave it to receivers.
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
