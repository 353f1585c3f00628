# SPDX-License-Identifier: Apache-2.0
"""Messages through two SigComp endpoints: jobs, what their results say, and what counts as a failure."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from headroom.core.errors import UsageError
from headroom.schemes.sigcomp import messages
from headroom.schemes.sigcomp.messages import Conversation, Step
from headroom.schemes.sigcomp.sip import sequences
from headroom.tests.interop import support
from headroom.tests.runs import REFERENCE, conversation_of

CALL = sequences.load(sequences.path_of("basic-voice-call"))


def test_a_call_comes_back(real_build: str, tmp_path: Path) -> None:
    capture = tmp_path / "link.pcapng"
    wanted = conversation_of(
        messages.conversation(CALL), options={"mechanism": "dynamic"}, capture=capture, build=real_build
    )
    done = messages.run(wanted)
    assert done.failures() == []
    assert done.count("identical") == len(CALL) == len(done.messages)
    assert done.sent_octets < done.plain_octets == sum(len(one.octets) for one in CALL)
    first = done.messages[0]
    assert first.is_from_a and first.has_bytecode and not first.is_plain
    assert first.compressed is not None and len(first.compressed) == first.compressed_length
    assert first.cycles and first.compress_ns is None
    assert capture.stat().st_size > done.sent_octets


def test_times_are_measured_when_asked_for(real_build: str) -> None:
    done = messages.run(conversation_of([Step(b"MESSAGE sip:a@b SIP/2.0\r\n\r\n")], repeats=2, build=real_build))
    assert (done.messages[0].compress_ns or 0) > 0 and (done.messages[0].decompress_ns or 0) > 0


def test_a_lost_upload_is_mended_by_a_nack(real_build: str) -> None:
    wanted = conversation_of(
        [Step(one.octets) for one in CALL[:3]],
        options={"mechanism": "stateful-basic", "acknowledgement": "transport"},
        a_to_b={"drop": [0]},
        build=real_build,
    )
    done = messages.run(wanted)
    assert [one.verdict for one in done.messages] == ["lost_on_link", "not_delivered", "identical"]
    assert done.messages[1].reason == "STATE_NOT_FOUND" and len(done.messages[1].nacks) == 1
    assert done.nack_octets == len(done.messages[1].nacks[0])
    assert done.failures() == []  # the link did it
    assert done.lost() == 1


def test_null_is_the_control_whatever_the_options(real_build: str) -> None:
    done = messages.run(
        conversation_of(messages.conversation(CALL), "null", "null", options={"mechanism": "dynamic"}, build=real_build)
    )
    assert done.failures() == [] and done.sent_octets == done.plain_octets


def test_an_implementation_without_endpoints_is_refused() -> None:
    with pytest.raises(UsageError, match="example does not declare the scheme sigcomp"):
        messages.job(conversation_of(a="example"))


@pytest.mark.parametrize(
    ("record", "sentence"),
    [
        ({"verdict": "mismatched", "arrivals": []}, "Message 2 came out different"),
        ({"verdict": "not_delivered", "arrivals": []}, "Message 2 did not come out"),
        (
            {"verdict": "not_compressed", "arrivals": [], "compressed": {"status": "ERR_UNSUPPORTED"}},
            "explains it: not compressed (ERR_UNSUPPORTED).",
        ),
        (
            {"verdict": "not_delivered", "arrivals": [{"status": "ERR_DECOMPRESSION", "reason_name": "SEGFAULT"}]},
            "nothing that the link did explains it: SEGFAULT.",
        ),
    ],
)
def test_what_should_not_be_is_told(record: dict[str, Any], sentence: str) -> None:
    came = [{"from": "a", "verdict": "identical", "arrivals": []}]
    for link in ({}, {"loss": 0.5}, {"rate_bps": 1000}):  # what a link might have done is no excuse
        found = Conversation(conversation_of(a_to_b=link), {"records": [*came, {"from": "a", **record}]}).failures()
        assert len(found) == 1 and sentence in found[0]


def test_an_endpoint_that_drops_everything_is_wrong_over_any_link(real_build: str, tmp_path: Path) -> None:
    broken = support.faulty_endpoint(tmp_path / "broken", real_build, "drops_everything")
    video = sequences.load(sequences.path_of("3gpp-video-call"))
    for link in ({}, {"loss": 0.3}, {"rate_bps": 64_000}, {"delay_ns": 20_000_000}):
        wanted = conversation_of(
            messages.conversation(video), broken, broken, a_to_b=link, b_to_a=link, build=real_build
        )
        done = messages.run(wanted)
        failures = done.failures()
        assert len(failures) == len(video) - done.lost() + 2, "each message that was not lost, and both sides"
        assert all(one.startswith(f"{Path(broken).name} understands none of the ") for one in failures[-2:])
        right = replace(wanted, a=REFERENCE, b=REFERENCE, options={"mechanism": "dynamic"})
        assert messages.run(right).failures() == []


def test_a_broken_promise_is_told() -> None:
    broken = {"function": "compress", "message": 3, "sentence": "It changed its input."}
    done = Conversation(conversation_of(), {"records": [], "promise_broken": broken})
    assert done.failures() == ["A promise was broken: compress (message 4): It changed its input."]
