# SPDX-License-Identifier: Apache-2.0
"""Runs and implementations of tests."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headroom.bench.load import LoadConfig
from headroom.core.implementations import find
from headroom.core.replay import ReplayConfig
from headroom.core.run.run import Run
from headroom.core.settings import Settings
from headroom.schemes.sigcomp.call_load import CallLoadConfig
from headroom.schemes.sigcomp.messages import ConversationConfig, Step

REFERENCE, NULL = find("reference"), find("null")


def run_of(**settings: Any) -> Run:
    """The run of some settings; the rest is as by default."""
    return Run.of(Settings(**settings))


def implementation(name: Any) -> Any:
    return find(name) if isinstance(name, str) else name


def replay_of(compressor: Any = "reference", decompressor: Any = "reference", **more: Any) -> ReplayConfig:
    """A replay between implementations by name; None where it begins, or ends, at the link."""
    return ReplayConfig("rohc", implementation(compressor), implementation(decompressor), **more)


def load_of(compressor: Any = "reference", decompressor: Any = "reference", **more: Any) -> LoadConfig:
    return LoadConfig(more.pop("scheme", "rohc"), implementation(compressor), implementation(decompressor), **more)


def calls_of(proxy: Any = "reference", user: Any = "reference", **more: Any) -> CallLoadConfig:
    return CallLoadConfig(implementation(proxy), implementation(user), **more)


def conversation_of(
    steps: Sequence[Step] = (), a: Any = "reference", b: Any = "reference", **more: Any
) -> ConversationConfig:
    return ConversationConfig(implementation(a), implementation(b), steps, **more)
