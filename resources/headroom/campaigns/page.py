# SPDX-License-Identifier: Apache-2.0
"""campaign.html: written while a campaign goes on, and at its end."""

from __future__ import annotations

from pathlib import Path
from typing import Any


class Writer:
    def __init__(self, campaign: Any) -> None:
        self.campaign = campaign

    def note(self, cell: Any, result: Any) -> None:
        pass

    def write(self) -> Path | None:
        return None
