# SPDX-License-Identifier: Apache-2.0
"""Metrics of ULE replays, besides those of every replay (`core.replay_metrics`)."""

from headroom.core.metrics import Family, Metric

SNDUS = Metric("sndus", "SNDUs", None, "SNDUs that the encapsulator sent, as the judge reads them.")
PACKED = Metric("packed", "SNDUs", None, "SNDUs that begin after another one in a TS packet.")
UNITS = Metric("units", "units", None, "Units that came out of the receiver.")
EVENTS = Family(
    "events_{event}",
    "events",
    None,
    "What the judge's receiver recorded: {event}.",
    {
        "event": {
            "duplicate": "duplicates",
            "sync error": ("sync_errors", "sync errors"),
            "transmission error": ("transmission_errors", "transmission errors"),
            "continuity counter error": ("continuity_errors", "continuity counter errors"),
            "payload pointer error": ("payload_pointer_errors", "payload pointer errors"),
            "reassembly error": ("delimiting_errors", "reassembly errors"),
            "SNDU length error": ("length_errors", "SNDU length errors"),
            "CRC error": ("crc_errors", "CRC errors"),
            "SNDU type error": ("type_errors", "SNDU type errors"),
        }
    },
)
NOTED = frozenset(EVENTS.parameters["event"])
