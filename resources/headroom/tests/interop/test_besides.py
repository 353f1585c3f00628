# SPDX-License-Identifier: Apache-2.0
"""ROHC cells in which something is on the link, or comes out, that belongs to no packet of the source."""

from typing import Any

from headroom.core.contract import CLEAN
from headroom.core.implementations import find
from headroom.core.replay import Replay, ReplayConfig
from headroom.core.scheme_registry import all_schemes
from headroom.schemes.rohc.interop import signature, verdicts
from headroom.schemes.rohc.interop.study import Study, _arrivals, _judge

ROHC = all_schemes()["rohc"]
CHANNEL = {"profiles": ["0x0000"], "mode": "U", "cids": "small", "max_cid": 15}


def replay_of(forward: dict[str, Any], records: list[dict[str, Any]], **link: Any) -> Replay:
    config = ReplayConfig("rohc", find("reference"), find("reference"), channel=CHANNEL, forward=link)
    counts = {"source": {"packets": 1}, "mismatch_list": [], "verdicts": {"identical": 1}, "inserted": {"delivered": 0}}
    return Replay(config, {"forward": counts | forward, "records": records})


def besides(link: str, time_ns: int = 5) -> dict[str, Any]:
    return {"direction": "forward", "inserted": True, "time_ns": time_ns, "link": link, "status": "OK"}


def test_what_comes_out_besides_is_wrong() -> None:
    done = replay_of({"inserted": {"delivered": 2}}, [])
    verdict, reason = verdicts.of(done, ROHC.link(CLEAN))
    assert verdict == "fail" and reason.startswith("2 of 1 packets came out wrong")


def test_what_the_link_inserts_may_come_out() -> None:
    assert replay_of({"inserted": {"delivered": 2}}, [], insert=[{"hex": "00"}]).differing == 0


def test_its_signature_says_from_where_it_came() -> None:
    for link, words in (("fd", signature.BESIDES), ("", "no link packet")):
        seen = Study(replay_of({}, [besides(link)]), [b"E"])
        assert signature.of_study(seen, "0x0000") == f"a packet comes out of {words}"


def test_a_decompressor_that_was_disturbed_is_not_at_fault() -> None:
    record = {"packet": 0, "direction": "forward", "time_ns": 9, "verdict": "not_delivered", "fate": "delivered"}
    record |= {"link": "e0", "link_header": 1, "decompressor": [{"status": "ERR_STATE", "time_ns": 9}]}
    texts = []
    for other in ([], [besides("f801")]):
        seen = Study(replay_of({}, [record, *other]), [b""])
        seen.arrivals = _arrivals(seen.records)
        _judge(seen, CHANNEL)
        assert seen.arrivals[0].outcome is not None
        seen.arrivals[0].outcome.error, seen.arrivals[0].outcome.delivered = None, b""
        texts.append(signature.of_study(seen, "0x0000"))
    assert texts[0].endswith(signature.RESTORES)
    assert texts[1].endswith(f"{signature.RESTORES}, but {signature.BESIDES} came before")
