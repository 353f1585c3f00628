# SPDX-License-Identifier: Apache-2.0
"""Metrics of SigComp messages, of calls through nodes, and of a P-CSCF under load."""

from headroom.core.metrics import Family, Metric, Values

# ---- messages between endpoints

MESSAGES = Metric("messages", "messages", None, "Messages that were sent.")
MESSAGES_IDENTICAL = Metric("messages_identical", "messages", "higher", "Messages that came out as they went in.")
MESSAGES_LOST = Metric("messages_lost", "messages", None, "Messages that the link lost.")
UNCOMPRESSED_OCTETS = Metric("uncompressed_octets", "octets", None, "Octets of all messages before compression.")
SENT_OCTETS = Metric("sent_octets", "octets", "lower", "Octets of all messages as they were sent.", 0.0)
COMPRESSED = Metric("compressed", "%", "lower", "Octets as they were sent over octets before compression.", 0.0)
COMPRESSED_SHARE = Metric("compressed_share", "ratio", "lower", "Octets of SigComp over octets before compression.")
NACKS = Metric("nacks", "messages", "lower", "NACKs that endpoints sent.")
CONFIRMED_BY_TSHARK = Metric("confirmed_by_tshark", "messages", "higher", "Messages that tshark decompresses alike.")
MESSAGES_COMPRESSED = Metric("messages_compressed", "messages", None, "Messages that were sent as SigComp.")
MESSAGES_DECOMPRESSED = Metric("messages_decompressed", "messages", None, "Messages that were restored from SigComp.")
COMPARTMENTS = Metric("compartments", "compartments", None, "Compartments that were opened.")

# ---- hostile bytecode

UDVM_CYCLES = Metric("udvm_cycles", "cycles", "lower", "UDVM cycles that one message takes.")
WORK = Metric("work", "units", "lower", "Work that one message takes; a unit is about an instruction of one cycle.")
WORK_WITHOUT_GUARD = Metric("work_without_guard", "units", "lower", "Work that one message takes without a guard.")
MEMORY_BYTES = Metric("memory_bytes", "octets", "lower", "Memory that a flood of messages leaves behind.")
ATTACKS = Metric("attacks", "messages", None, "Attacks that were sent.")
MESSAGES_REFUSED = Metric("messages_refused", "messages", "higher", "Attacks that the endpoint refused.")
OTHERS_DELIVERED = Metric("others_delivered", "messages", "higher", "Harmless messages of others that came out.")
MESSAGES_PER_SECOND = Metric("messages_per_second", "messages/s", "higher", "Attacks a second that fill one core.")
MESSAGES_PER_SECOND_WITHOUT_GUARD = Metric(
    "messages_per_second_without_guard", "messages/s", "higher", "Attacks a second that fill one core without a guard."
)
GAIN = Metric("gain", "ratio", "higher", "Time of an attack without a guard over its time with one.")

# ---- calls, through nodes or a P-CSCF

CALLS_PER_S = Metric("calls_per_s", "calls/s", "higher", "Calls a second.")
CALLS_PER_S_AT_LEAST = Metric(
    "calls_per_s_at_least", "calls/s", "higher", "Calls a second that the generator reached, where it was the limit."
)
MESSAGES_PER_S = Metric("messages_per_s", "messages/s", "higher", "SIP messages a second.")
CALLS = Metric("calls", "calls", None, "Calls that were made.")
FAILED = Metric("failed", "calls", "lower", "Calls that lacked a message.")
MESSAGES_UNEXPECTED = Metric("messages_unexpected", "messages", "lower", "Messages that arrived changed, or twice.")
WAY_COUNT = Family(
    "{way}_{count}",
    "messages",
    None,
    "Messages {count}, {way}.",
    {"way": {"forward": "forward", "reverse": "in reverse"}, "count": {"sent": "sent", "received": "received"}},
)
CALL_TIME = Family(
    "call_{figure}",
    "ns",
    "lower",
    "Time from the first message of a call until the last has arrived, {figure}.",
    {"figure": {"p50": "median", "p99": "99th percentile", "longest": "longest"}},
)

# ---- a P-CSCF under load

MOST_LOAD = Metric("most_load", "share", "lower", "Highest load of a worker in a second of the run.")
CALLS_IN_PROGRESS = Metric("calls_in_progress", "calls", None, "Calls in progress at once.")
CALLS_AT_HALF_LOAD = Metric(
    "calls_at_half_load", "calls", "higher", "Calls at once that load one core to 50 %, by proportion."
)
SIP = Metric("sip", "Mbit/s", None, "Traffic of the SIP messages.")
SIGCOMP = Metric("sigcomp", "Mbit/s", "lower", "Traffic of the SigComp messages.")
MEMORY_PER_CALL = Metric("memory_per_call", "octets", "lower", "Memory of the process that one call takes.")
UNSERVED = Metric("unserved", "messages", "lower", "Messages that waited in vain at the end.")

TIMES: Values = {
    "in_system": "in the system",
    "in_buffer": "in the buffer",
    "processing": "in processing",
    "waiting_for_lock": "waiting for a lock",
    "decompressing": "in decompression",
    "compressing": "in compression",
    "handed_over_late": "handed over late by the generator",
}
FIGURES: Values = {"mean": "mean", "p50": "median", "p99": "99th percentile", "max": "longest"}
TIME = Family(
    "{time}_{figure}", "ns", "lower", "Time of a message {time}, {figure}.", {"time": TIMES, "figure": FIGURES}
)
ACTIVE_WORKERS = Family(
    "active_workers_{figure}",
    "workers",
    None,
    "Workers with a message in processing, {figure}.",
    {"figure": {"mean": "on average over time", "seen": "as an arriving message sees them", "most": "at most"}},
)

# ---- organisations of the workers

ORGANISATIONS: Values = {"pinned": "with compartments pinned to workers", "pool": "with a common queue"}
ORGANISATION_LOAD = Family(
    "{organisation}_load", "share", None, "Load of a worker {organisation}.", {"organisation": ORGANISATIONS}
)
ORGANISATION_CALLS_PER_S = Family(
    "{organisation}_calls_per_s", "calls/s", None, "Calls a second {organisation}.", {"organisation": ORGANISATIONS}
)
ORGANISATION_ACTIVE_WORKERS = Family(
    "{organisation}_active_workers_mean",
    "workers",
    None,
    "Workers with a message in processing on average, {organisation}.",
    {"organisation": ORGANISATIONS},
)
ORGANISATION_TIME = Family(
    "{organisation}_{time}_{figure}",
    "ns",
    "lower",
    "Time of a message {time}, {figure}, {organisation}.",
    {
        "organisation": ORGANISATIONS,
        "time": {time: TIMES[time] for time in ("in_system", "in_buffer", "processing", "waiting_for_lock")},
        "figure": {figure: FIGURES[figure] for figure in ("mean", "p99")},
    },
)
WAIT_OF_PINNED_TO_POOL = Metric(
    "wait_of_pinned_to_pool", "ratio", None, "Wait in the buffer with pinned compartments over that in a common queue."
)
