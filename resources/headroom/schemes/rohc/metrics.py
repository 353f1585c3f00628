# SPDX-License-Identifier: Apache-2.0
"""Metrics of ROHC replays, besides those of every replay (`core.replay_metrics`)."""

from headroom.core.metrics import Metric

# ---- what the judges read

FEEDBACK = Metric("feedback", "messages", None, "Feedback messages that the decompressor sent.")

# ---- what a compressor does

CARRIED_BY = Metric("carried_by", "packets", None, "Packets in a row that carry a change.")
PACKETS_THAT_OTHERS_NEED = Metric(
    "packets_that_others_need", "packets", "lower", "Packets whose loss keeps others from being restored."
)
IR_PACKETS_AT_START = Metric("ir_packets_at_start", "packets", None, "IR packets that a flow begins with, at least.")
RETURNS_TO_IR = Metric("returns_to_ir", "times", None, "Returns of the compressor to IR packets.")
RETURNS_TO_LOWER_STATES = Metric(
    "returns_to_lower_states", "times", None, "Returns of the compressor to a lower state."
)
LONGEST_WITHOUT_IR = Metric("longest_without_ir", "packets", None, "Packets in a row without an IR packet, at most.")
REPLICAS = Metric("replicas", "packets", None, "IR-CR packets that begin the context of a CID.")
SEGMENTED = Metric("segmented", "packets", None, "Packets that were sent as segments.")

# ---- what a decompressor makes of an impaired link

ARRIVED = Metric("arrived", "packets", None, "Link packets that arrived.")
DAMAGED_HEADERS = Metric("damaged_headers", "packets", None, "Link packets that arrived with a damaged header.")
AT_RISK = Metric("at_risk", "packets", "lower", "Arrivals that the judge refuses or restores wrongly.")
WRONG_BY_CHANCE = Metric("wrong_by_chance", "packets", "lower", "Wrong packets that CRCs let pass on average.")
RESTORED_BY_JUDGE_FROM_ARRIVALS = Metric(
    "restored_by_judge_from_arrivals", "packets", "higher", "Packets that the judge restored from the same arrivals."
)
LONGEST_OUTAGE = Metric("longest_outage", "packets", "lower", "Packets in a row that arrived and did not come out.")
TRIALS = Metric("trials", "packets", None, "Damaged packets that the decompressor was given.")
REFUSED = Metric("refused", "packets", None, "Damaged packets that decompressor and judge refused.")
CAREFUL = Metric("careful", "packets", None, "Damaged packets that the decompressor refused and the judge did not.")
UNDETECTED = Metric("undetected", "packets", None, "Damaged packets whose damage no CRC shows.")
UNDETECTED_BY_CHANCE = Metric(
    "undetected_by_chance", "packets", None, "Damaged packets whose damage CRCs miss on average."
)
