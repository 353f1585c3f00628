# SPDX-License-Identifier: Apache-2.0
"""Keywords of the robustness suites: impaired links, damaged and malformed packets, adapters that misbehave."""

import random
import tempfile
from pathlib import Path

from robot.api import SkipExecution
from robot.api.deco import keyword

from headroom.core import replay, replay_metrics, replay_options, sandbox
from headroom.core.capabilities import Inconclusive
from headroom.core.chance import CONFIDENCE
from headroom.core.errors import UsageError
from headroom.core.replay import ReplayConfig
from headroom.core.results import collector
from headroom.core.text import some
from headroom.keywords import verdicts
from headroom.keywords.artefacts import keep_text
from headroom.keywords.base import current_run, library
from headroom.schemes.rohc import metrics
from headroom.schemes.rohc.conformance import arrivals, capabilities, damage, faulty_adapters, feedback, stream
from headroom.schemes.rohc.conformance.conversation import Conversation
from headroom.schemes.rohc.conformance.observation import Observation, observe
from headroom.schemes.rohc.keywords.verdicts import conclude, expect, note_replay
from headroom.schemes.rohc.scheme import SCHEME

PACKETS = "1500"  # of a replay, unless a row says another number
# Share of the packets restored by the judge that the decompressor must deliver. The judge never loses a context, so a
# decompressor that waits for an update after damage delivers far fewer packets, above all if the link reorders. A
# decompressor that does not work at all delivers nothing.
LEAST_SERVICE = 0.05


@library
class RobustnessKeywords:
    """Keywords that expose an implementation to bad links, packets and neighbours, and check that it does no harm.

    Named arguments are those of `Replay …`.
    """

    @keyword("Impaired Link Should Do No Harm")
    def impaired_link(self, source: str, outage: int = 0, **named: str) -> None:
        """Each packet is restored as it was or not at all. Exceptions are errors that a CRC misses by chance: at most
        as many as a CRC-3, -7 or -8 allows for the packets at risk. The decompressor must deliver at least one in
        twenty of the packets that the judge restores from the same arrivals, because a decompressor that refuses
        everything does no harm but is of no use. With OUTAGE, fewer than that many packets in a row may arrive and not
        be restored.
        """
        config = replay_options.config_of(SCHEME, source, {"packets": PACKETS, **named}, current_run())
        capabilities.agree_on_profiles(config)
        path = replay.feedback_path(config)
        if len(config.sides) < 2:
            raise UsageError("An impaired link needs both sides; one is none.")
        for role, implementation in config.sides:
            verdicts.note(role, implementation, config.build)
            capabilities.require(implementation, role, config.channel, config.build, feedback=path)
        seen = observe(config)
        note_replay(seen)
        collector.current().parameters["outage"] = outage
        conclude(seen)
        assert config.decompressor is not None
        capabilities.require_what_is_sent(config.decompressor, seen.contexts)
        missing = stream.not_sent(seen.packets)
        expect(
            not missing,
            f"The compressor loses {len(missing)} packets by itself: {some(missing, 3)}",
            seen,
        )
        self._weigh(seen, outage)

    def _weigh(self, seen: Observation, outage: int) -> None:
        balance = arrivals.balance(seen)
        current = collector.current()
        current.metric(metrics.ARRIVED, balance.arrived)
        current.metric(metrics.DAMAGED_HEADERS, balance.damaged_headers)
        current.metric(metrics.AT_RISK, balance.at_risk)
        current.metric(metrics.WRONG_BY_CHANCE, balance.chances)
        current.metric(replay_metrics.WRONG_ALLOWED, balance.allowed)
        current.metric(replay_metrics.WRONG, balance.wrong)
        current.metric(metrics.RESTORED_BY_JUDGE_FROM_ARRIVALS, balance.restored_by_judge)
        current.metric(metrics.LONGEST_OUTAGE, balance.longest_outage)
        expect(
            balance.wrong <= balance.allowed,
            f"{balance.wrong} packets come out wrong; {balance.at_risk} of {balance.arrived} arrivals were at risk, of "
            f"which CRCs let {balance.chances:.2f} pass on average, and at most {balance.allowed} with a probability "
            f"of {CONFIDENCE}: {seen.done.first_difference()}",
            seen,
        )
        if not balance.arrived:
            raise Inconclusive("No packet arrived, so the decompressor was not tested.")
        expect(
            LEAST_SERVICE * balance.restored_by_judge <= balance.delivered,
            f"{balance.delivered} packets come out; from the same {balance.arrived} arrivals, the judge restores "
            f"{balance.restored_by_judge}",
            seen,
        )
        expect(
            not outage or balance.longest_outage < outage,
            f"{balance.longest_outage} packets in a row arrive and do not come out; by {outage} the context should "
            "have recovered",
            seen,
        )

    @keyword("Damaged Packets Should Be Withstood")
    def damaged_packets(self, kind: str) -> None:
        """Sends link packets of every vector, damaged in one way (`conformance.damage`). Expects no output that the
        judge does not read in them, no more undetected errors than the CRCs allow, and that the next IR packet repairs
        the context.
        """
        run = current_run()
        verdicts.note("decompressor", run.decompressor, run.build)
        tried = damage.attempt(kind, run.decompressor, run.build, run.seed)
        current = collector.current()
        current.parameters |= {"kind": "damage", "damage": kind}
        if not tried.trials:
            raise SkipExecution(f"The vectors are for channels that {run.decompressor.name} does not declare.")
        current.metric(metrics.TRIALS, tried.trials)
        current.metric(metrics.REFUSED, tried.refused)
        current.metric(metrics.CAREFUL, tried.careful)
        current.metric(metrics.UNDETECTED, tried.undetected)
        current.metric(metrics.UNDETECTED_BY_CHANCE, tried.chances)
        if tried.wrong or tried.not_recovered:
            keep_text("packets.txt", "\n".join([*tried.wrong, *tried.not_recovered]), "packets in question")
        if tried.wrong:
            raise AssertionError(f"{len(tried.wrong)} of {tried.trials} packets: {some(tried.wrong, 3)}.")
        if tried.not_recovered:
            raise AssertionError(f"{len(tried.not_recovered)} contexts do not recover: {some(tried.not_recovered, 3)}.")
        allowed = tried.allowed(kind)
        if allowed is not None and tried.undetected > allowed:
            raise AssertionError(f"{tried.undetected} damaged headers come out; at most {allowed} may.")

    @keyword("Hostile Feedback Should Be Withstood")
    def hostile_feedback(self, count: int) -> None:
        """Feedback of random octets before packets of three flows: the compressor survives, and the judge restores
        every packet."""
        run = current_run()
        source = random.Random(f"{run.seed}/hostile feedback")
        config = ReplayConfig(SCHEME.name, run.compressor, seed=run.seed, build=run.build)
        config.channel["mode"] = "O"
        capabilities.agree_on_profiles(config)
        verdicts.note("compressor", run.compressor, run.build)
        capabilities.require(run.compressor, "compressor", config.channel, run.build)
        story = Conversation("rtp-ipv4", config.channel, flows=3)
        story.send(10)
        story.give("ACK(O) with CRC")
        story.send(20, "at the end type 0, type 1")  # one that never compresses has nothing to lose by hostile feedback
        for _ in range(count):
            octets = source.randbytes(source.choice((1, 2, 3, 4, 6, 9, 20, 60, 255)))
            story.give(f"raw {feedback.element(octets).hex() if source.random() < 0.8 else octets.hex()}")
            story.send(2)
        seen, _ = story.run(config)
        note_replay(seen)
        conclude(seen)
        complaints = story.judge(seen, None)
        expect(not complaints, some(complaints, 3), seen)
        missing = [packet for packet in seen.packets if not packet.is_restored]
        expect(not missing, f"{len(missing)} packets are not restored by the judge", seen)

    @keyword("Misbehaviour Should Be An Error")
    def misbehaviour(self, fault: str) -> None:
        """Runs an adapter of the engine's tests that breaks one promise. The outcome must be an error that says so, and
        the next job must run."""
        run = current_run()
        libraries = faulty_adapters.folder(run.build)
        if not faulty_adapters.library(libraries, fault).is_file():
            raise SkipExecution(f"The faulty adapters are not built (target faulty_adapters of {run.build}).")
        collector.current().parameters |= {"kind": "misbehaviour", "fault": fault}
        sentence = faulty_adapters.provoke(libraries, fault, run.build)
        collector.current().parameters["said"] = sentence
        if not sentence:
            raise AssertionError(f"An adapter that {fault.replace('_', ' ')} passes for one that behaves.")
        if rest := faulty_adapters.provoke(libraries, "none", run.build):
            raise AssertionError(f"After it, an adapter that behaves is taken for one that does not: {rest}")

    @keyword("Intrusion Should Come To Nothing")
    def intrusion(self, attack: str) -> None:
        """An adapter of the engine's tests that attacks the machine around it: it gets nowhere, and is judged by its
        packets."""
        run = current_run()
        libraries = faulty_adapters.folder(run.build)
        if not faulty_adapters.library(libraries, attack).is_file():
            raise SkipExecution(f"The intruders are not built (target faulty_adapters of {run.build}).")
        if reason := sandbox.lacking():
            raise SkipExecution(f"There is no sandbox: {reason}.")
        collector.current().parameters |= {"kind": "intrusion", "attack": attack}
        with tempfile.TemporaryDirectory(dir=run.folder) as folder:
            sentence = faulty_adapters.intrude(libraries, attack, run.build, Path(folder))
        if sentence:
            raise AssertionError(f"An adapter that {attack.replace('_', ' ')} got out of its sandbox: {sentence}")
