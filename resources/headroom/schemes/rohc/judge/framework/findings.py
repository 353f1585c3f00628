# SPDX-License-Identifier: Apache-2.0
"""The judge's remarks on a packet, short of refusing it.

Neither a remark nor a finding has a level: it is that of its requirement (`headroom.core.requirements`).
"""

from typing import NamedTuple


class Remark(NamedTuple):
    """A requirement broken by a packet that can be read all the same."""

    requirement: str
    sentence: str
