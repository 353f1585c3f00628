# SPDX-License-Identifier: Apache-2.0
"""A number of slots may be refused, which misses a SHOULD. No words excuse anything else."""

from types import SimpleNamespace
from typing import Any

import pytest
from robot.errors import PassExecution

from headroom.core import requirements
from headroom.core.engine_result import EngineFailure
from headroom.schemes.vj.keywords.conformance import VjKeywords
from headroom.schemes.vj.line import VECTORS

FEW_SLOTS = {"max_slot_id": 3}


def test_a_number_of_slots_may_be_refused() -> None:
    found: list[Any] = []
    case: Any = SimpleNamespace(conclude=found.extend)
    with pytest.raises(PassExecution), VjKeywords()._may_be_refused(case, FEW_SLOTS):
        raise EngineFailure("refused", "the adapter refuses the configuration: no.", "/decompressor/config")
    assert [finding.requirement for finding in found] == ["RFC1144-5.1-2"]


@pytest.mark.parametrize(("kind", "where"), [("crash", ""), ("timeout", ""), ("refused", "/library")])
def test_the_words_of_a_refusal_excuse_nothing_else(kind: Any, where: str) -> None:
    case: Any = SimpleNamespace(conclude=lambda findings: None)
    with pytest.raises(EngineFailure), VjKeywords()._may_be_refused(case, FEW_SLOTS):
        raise EngineFailure(kind, "It died. Its last words: refuses the configuration", where)


def test_a_wrong_packet_breaks_a_must_with_any_number_of_slots() -> None:
    vectors = VECTORS.by_name.values()
    assert {requirements.load()[vector.requirement].level for vector in vectors} == {"must"}
