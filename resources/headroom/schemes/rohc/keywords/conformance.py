# SPDX-License-Identifier: Apache-2.0
"""Keywords of the conformance suites: vectors, streams that the judge reads, and tests of each side alone.

The package `conformance` decides. It judges link packets and output, never the report of an adapter.
"""

import itertools
import json
from collections.abc import Iterable
from typing import Any

from robot.api import SkipExecution
from robot.api.deco import keyword

from headroom.core import replay, replay_metrics, replay_options
from headroom.core.capabilities import Inconclusive, NotDeclared
from headroom.core.errors import UsageError
from headroom.core.implementations import Implementation
from headroom.core.options import split_names
from headroom.core.replay import ReplayConfig
from headroom.core.results import collector
from headroom.core.text import nth, some
from headroom.keywords import cases, verdicts
from headroom.keywords.artefacts import keep_text
from headroom.keywords.base import current_run, library
from headroom.schemes.rohc import metrics
from headroom.schemes.rohc.conformance import capabilities, carriers, evidence, losses, repeats, stream, vectors
from headroom.schemes.rohc.conformance.conversation import BY_CHOICE, TYPE_0_AND_1, Conversation, prefers_larger
from headroom.schemes.rohc.conformance.flow import PROTOCOLS, Flow
from headroom.schemes.rohc.conformance.observation import JUDGE, TYPE_0, Observation, ignores_feedback, observe
from headroom.schemes.rohc.conformance.timeline import Timeline
from headroom.schemes.rohc.judge.framework.profiles import TCP
from headroom.schemes.rohc.judge.tcp.packets import COMPRESSED
from headroom.schemes.rohc.judge.v1 import vectors as hand_derived
from headroom.schemes.rohc.keywords.verdicts import conclude, conclude_remarks, expect, note_replay
from headroom.schemes.rohc.scheme import SCHEME

WINDOW = 2  # what is new survives the loss of one packet: RFC 3095, 5.3.1.1.1 and 4.5.2
# "normally … several packets with the same information"; how many is not defined.
CONFIDENCE, CONFIDENCE_OF_TCP = "RFC3095-5.3.1.1.1-1", "RFC6846-5.2.1.1-3"
REGULAR = "rtp-ipv4"  # a flow that any compressor can put into its smallest packets
LATE_PACKETS = 12  # of a slow flow, after those with which it settles


@library
class ConformanceKeywords:
    """Four kinds of questions.

    `Vectors …` puts hand-derived link packets before the decompressor. `Flow …` and `Change …` send traffic through
    compressor, link and decompressor, and put the link before the ROHC judge. `A Compressor` and `A Decompressor` begin
    a story about one of them alone; the rows that follow tell it, and `So It Should Be` plays and judges it.

    Named arguments are those of `Replay …`; `compressor` and `decompressor` may be `none`. `needs` names features (see
    implementations/README.md) without which a case is unsupported.
    """

    def __init__(self) -> None:
        self.seen: Observation | None = None
        self.story: Timeline | Conversation | None = None
        self.subject = ReplayConfig(SCHEME.name)  # the implementation under test
        self.heard_until = 0  # packets of the last story of a compressor before the last feedback that it was given

    # ---- vectors

    @keyword("Vectors Should Be Decompressed")
    def vectors_decompressed(self, *patterns: str) -> None:
        """Hand-derived vectors of resources/vectors/rohc by name or pattern: what comes out, what is passed on to the
        compressor at the decompressor's end, and what is answered is what they say. Where nothing may come out of
        any of them, a vector that must be delivered is played beside them."""
        case = cases.about(SCHEME, JUDGE, "decompressor")
        names = list(case.vectors(patterns, vectors.known(), hand_derived.FOLDER))
        run = case.run
        wrong, left_out, packets = [], [], 0
        for name in names:
            try:
                played = vectors.play(name, run.decompressor, run.build)
            except NotDeclared as reason:
                left_out.append(str(reason))
                continue
            packets += len(played.vector.steps)
            if played.failure:
                raise played.failure
            if played.wrong:
                wrong.append(f"{name}: {played.wrong[0]}")
                keep_text(f"{name}.txt", evidence.of_vector(played), "vector, field by field")
        current = collector.current()
        current.metric(replay_metrics.VECTORS, len(names) - len(left_out))
        current.metric(replay_metrics.LINK_PACKETS, packets)
        if len(left_out) == len(names):
            raise SkipExecution(left_out[0])
        beside = vectors.control(names)
        if beside and vectors.play(beside, run.decompressor, run.build).wrong:
            raise AssertionError(
                f"Nothing may come out of these, but {beside} must be delivered beside them and is not."
            )
        if wrong:
            raise AssertionError(f"{len(wrong)} of {len(names)} vectors: {some(wrong, 3)}.")

    # ---- streams before the judge

    @keyword("Observe Flow")
    def observe_flow(self, source: str, *changes: str, **named: str) -> None:
        """Sends traffic over a clean link and keeps it for the keywords that follow; what the judge finds wrong is a
        failure, and so is a packet that it restores and the decompressor does not.

        SOURCE is a traffic profile, or a flow such as rtp-ipv4 with changes such as `40: ttl=61`,
        after forty packets.
        """
        confidence = int(named.pop("confidence", 1))
        config = self._config(source, changes, named)
        self._observe(config, confidence)
        self._conclude()
        if config.decompressor is not None:
            self._must_be_delivered(config.decompressor)

    @keyword("Observe Slow Flow")
    def observe_slow_flow(self, flow: str, seconds: int) -> None:
        """A flow that settles and then sends twelve packets in twice as long as `seconds`, before the compressor
        alone: too few for refreshes that count packets, late enough for those that look at the time."""
        config = self._config("", (), {"decompressor": "none"})
        packets = losses.packets_of(Flow.of(flow), {}, stream.SETTLED + LATE_PACKETS)
        pause_ns = 2 * seconds * 1_000_000_000 // LATE_PACKETS
        config.source = losses.literal(packets[: stream.SETTLED])
        start_ns = config.source[-1]["time_ns"] + pause_ns
        config.source += losses.literal(packets[stream.SETTLED :], interval_ns=pause_ns, start_ns=start_ns)
        self._observe(config)
        self._conclude()

    @keyword("Flow Should Be Compressed Correctly")
    def flow_correct(self, source: str, *changes: str, **named: str) -> None:
        """Replays over a clean link. Expects that the judge has no findings on the compressor's packets and restores
        every packet, and that W-LSB encoded fields can be decoded even if any of the last packets was lost. Expects
        that the decompressor delivers every packet.
        """
        self.observe_flow(source, *changes, **named)
        missing = [packet for packet in self.last.packets if packet.verdict != "identical"]
        if self.last.done.config.decompressor is not None:
            expect(not missing, f"{len(missing)} packets do not come out as they went in", self.last)

    @keyword("Change Should Survive Losses")
    def change_survives(self, flow: str, change: str, **named: str) -> None:
        """A regular flow changes at packet 41. At least two packets in a row carry the change, and whichever of them
        are lost, the decompressor delivers all packets that can be restored from the rest."""
        config = self._config("", (), named)
        self._identify(config)
        survey = losses.survey(Flow.of(flow), change, config)
        self.seen = survey.observation
        note_replay(survey.observation)
        current = collector.current()
        current.parameters |= {"flow": flow, "change": change, "loss_patterns": survey.patterns}
        current.metric(metrics.CARRIED_BY, survey.carried)
        self._conclude()
        expect(
            survey.carried >= 2,
            f"After {change} at {nth('packet', losses.CHANGE_AT)}, the loss of that packet alone keeps later packets "
            "from being restored: only one packet carries the change",
            self.last,
            of=losses.CHANGE_AT,
            requirement=CONFIDENCE,
        )
        expect(not survey.complaints, f"The decompressor, {some(survey.complaints, 3)}", self.last)

    @keyword("No Single Loss Should Hurt Another Packet")
    def single_losses(self, source: str, *changes: str, **named: str) -> None:
        """If any single packet of the stream is lost, the judge restores all other packets."""
        self.observe_flow(source, *changes, **{"decompressor": "none", **named})
        self._expect_losses_to_be_harmless(requirement=CONFIDENCE)

    @keyword("No Single Loss Behind The Last Feedback Should Hurt Another Packet")
    def single_losses_behind_feedback(self) -> None:
        """After the story of a compressor: if any single packet after the last feedback is lost, the judge restores all
        other packets.
        """
        requirement = "" if self.subject.channel.get("mode") == "R" else CONFIDENCE
        self._expect_losses_to_be_harmless(self.heard_until, requirement)

    def _expect_losses_to_be_harmless(self, heard_until: int = 0, requirement: str = "") -> None:
        if all(packet.link is None for packet in self.last.packets[heard_until:]):
            raise Inconclusive("There is no packet on the link whose loss could hurt.")
        if requirement and any(packet.profile == TCP for packet in self.last.packets):
            requirement = CONFIDENCE_OF_TCP
        results = repeats.single_losses(self.last.packets, self.last.parameters, but=range(heard_until))
        collector.current().metric(metrics.PACKETS_THAT_OTHERS_NEED, len(results))
        shown = some(
            [f"without {nth('packet', lost)} {nth('packet', hurt)} is not restored" for lost, hurt in results], 3
        )
        sentence = f"Of {len(self.last.packets)} packets, {len(results)} must not be lost: {shown}"
        expect(not results, sentence, self.last, requirement=requirement)

    # ---- what the last stream was like

    @keyword("It Should Begin With A Complete IR Packet")
    def begins_with_ir(self) -> None:
        wrong = [sentence for packet in self.last.flows() for sentence in stream.begins_with_ir(packet)]
        expect(not wrong, f"{len(wrong)} flows do not: {some(wrong, 3)}", self.last)

    @keyword("It Should Begin With At Least ${count} IR Packets")
    def irs_at_start(self, count: int) -> None:
        least = min(stream.irs_at_start(packet) for packet in self.last.flows())
        collector.current().metric(metrics.IR_PACKETS_AT_START, least)
        plain = all(packet.profile == 0 for packet in self.last.packets)
        requirement = "RFC5795-5.4.3-1" if plain else CONFIDENCE
        expect(least >= count, f"A flow begins with {least} IR packets", self.last, requirement=requirement)

    @keyword("It Should Settle On Packets Of Type 0")
    def settles(self) -> None:
        wrong = [sentence for packet in self.last.flows() for sentence in stream.is_settled(packet)]
        if wrong and prefers_larger(self.last.done.config, REGULAR, TYPE_0):
            raise SkipExecution(BY_CHOICE)
        expect(not wrong, some(wrong, 3), self.last)

    @keyword("It Should Return To The IR State At Least ${count} Times")
    def returns_to_ir(self, count: int) -> None:
        packets = self.last.flow()
        to_ir, to_lower = stream.refreshes(packets)
        current = collector.current()
        current.metric(metrics.RETURNS_TO_IR, len(to_ir))
        current.metric(metrics.RETURNS_TO_LOWER_STATES, len(to_lower))
        current.metric(metrics.LONGEST_WITHOUT_IR, stream.longest_without(to_ir, len(packets)))
        expect(len(to_ir) >= count, f"Among {len(packets)} packets there are {len(to_ir)} returns to IR", self.last)

    @keyword("It Should Return To The IR State Less Often Than To The FO State")
    def ir_less_often(self) -> None:
        to_ir, to_lower = stream.refreshes(self.last.flow())
        to_fo = len(to_lower) - len(to_ir)
        sentence = f"There are {len(to_ir)} returns to the IR state and {to_fo} to the FO state"
        expect(len(to_ir) < to_fo, sentence, self.last)

    @keyword("It Should Not Return To Lower States")
    def no_refreshes(self) -> None:
        packets = self.last.flow()
        places = stream.positions(packets, stream.UPDATES)
        where = some([nth("packet", packets[place].index) for place in places], 3)
        expect(not places, f"It returns though nothing changes: {where}", self.last)

    @keyword("It Should Return To Lower States At Least ${count} Times")
    def returns_to_lower_states(self, count: int) -> None:
        to_lower = stream.refreshes(self.last.flow())[1]
        collector.current().metric(metrics.RETURNS_TO_LOWER_STATES, len(to_lower))
        packets = len(self.last.packets)
        expect(len(to_lower) >= count, f"Among {packets} packets there are {len(to_lower)} returns", self.last)

    @keyword("Some Packets Should Go As Segments")
    def segmented(self) -> None:
        cut = sum(bool(packet.segments) for packet in self.last.packets)
        collector.current().metric(metrics.SEGMENTED, cut)
        expect(cut > 0, f"None of {len(self.last.packets)} packets goes as segments", self.last)

    @keyword("No Packet Should Go As Segments")
    def not_segmented(self) -> None:
        cut = [nth("packet", packet.index) for packet in self.last.packets if packet.segments]
        expect(not cut, f"{len(cut)} packets go as segments: {some(cut, 3)}", self.last)

    @keyword("No CID Should Be Above ${max_cid}")
    def cids_within(self, max_cid: int) -> None:
        wrong = [sentence for packet in self.last.flows() for sentence in stream.above_max_cid(packet, max_cid)]
        expect(not wrong, some(wrong, 3), self.last)

    @keyword("Link Should Have")
    def link_has(self, *kinds: str) -> None:
        """Packet types as the judge reads them; of several joined by commas, one at least."""
        missing = [kind for kind in kinds if not any(self.last.kinds[name] for name in split_names(kind))]
        small = [name for kind in missing for name in split_names(kind)]
        if small and {*small} <= {*TYPE_0_AND_1} and prefers_larger(self.last.done.config, REGULAR):
            raise SkipExecution(BY_CHOICE)
        expect(not missing, f"No {', '.join(missing)} is sent; types: {dict(self.last.kinds)}", self.last)

    @keyword("Link Should Never Have")
    def link_never_has(self, *kinds: str) -> None:
        there = [kind for kind in kinds if self.last.kinds[kind]]
        expect(not there, f"{', '.join(there)} is sent; types: {dict(self.last.kinds)}", self.last)

    @keyword("No Packet Of Up To ${octets} Octets Should Go As Segments")
    def not_segmented_below(self, octets: int) -> None:
        """The length is that on the link, of a packet in segments that of the whole."""
        wrong = [packet for packet in self.last.packets if packet.segments and len(packet.link or b"") <= octets]
        shown = [f"{nth('packet', packet.index)} does, in {len(packet.segments)}" for packet in wrong]
        expect(not wrong, some(shown, 3), self.last)

    @keyword("Only Profiles ${profiles} Should Be Used")
    def profiles_used(self, profiles: str) -> None:
        allowed = {int(name, 16) for name in split_names(profiles)}
        if all(packet.profile is None for packet in self.last.packets):
            raise Inconclusive("The judge can read the profile of no packet on the link.")
        other = [packet for packet in self.last.packets if packet.profile is not None and packet.profile not in allowed]
        shown = some([f"{nth('packet', packet.index)} is of profile 0x{packet.profile:04x}" for packet in other], 3)
        expect(not other, shown, self.last)

    @keyword("Headers Should Have At Most ${octets} Octets On Average")
    def average_header(self, octets: float) -> None:
        """The CID is not counted: which a flow has is the compressor's choice."""
        is_large = self.last.parameters.large_cids
        lengths = [
            length - (1 + (packet.cid > 0x7F) if is_large else packet.cid != 0)
            for packet in self.last.packets
            if (length := packet.header_octets) is not None and packet.cid is not None
        ]
        if not lengths:
            raise Inconclusive("The judge can read no header on the link, so there is no average.")
        average = sum(lengths) / len(lengths)
        expect(average <= octets, f"The average header has {average:.2f} octets", self.last)

    @keyword("Initial Sequence Numbers Should Differ")
    def random_sequence_numbers(self) -> None:
        """REQUIRES: at least eight flows, among which random numbers are hardly ever equal or consecutive."""
        firsts = [sn for packet in self.last.flows() if (sn := packet[0].sn) is not None]
        neighbours = sum((b - a) & 0xFFFF in (0, 1) for a, b in itertools.pairwise(firsts))
        shown = some(firsts)
        if len(firsts) < 8:
            contexts = "one context" if len(firsts) == 1 else f"{len(firsts)} contexts"
            raise Inconclusive(f"Only {contexts} can be read, too few to judge that they are random.")
        expect(len(set(firsts)) > 1 and neighbours <= 1, f"They are not random: {shown}", self.last)

    @keyword("First List Should Be")
    def first_list(self, *entries: str, behind: int = 0) -> None:
        """Entries of the first list of TCP options behind the first `behind` packets, such as `X mss` and `X generic`;
        `mss` is there without its item. A compressor that leaves such packets to other profiles sends no list."""
        sent = stream.first_list(self.last.packets[behind:])
        expect(sent in (None, list(entries)), f"The first list is {', '.join(sent or ())}", self.last, of=behind)

    @keyword("No List Should Be Sent In The Last ${count} Packets")
    def no_lists(self, count: int) -> None:
        last = self.last.flow()[-count:]
        sent = [nth("packet", packet.index) for packet in last if packet.kind in COMPRESSED and stream.has_list(packet)]
        expect(not sent, f"The list of options is in {some(sent, 3)}", self.last)

    @keyword("Replicas Should Have An MSN Of Their Own")
    def replicas_have_their_own_msn(self) -> None:
        """IR-CR packets for a CID without context have a new MSN; one that is the base's may be chance, all are not.
        A compressor that sends none is right."""
        taken, replicas = stream.msns_of_bases(self.last.packets)
        collector.current().metric(metrics.REPLICAS, replicas)
        sentence = f"All {taken} IR-CR packets that begin a context go on with the MSN of their base"
        expect(taken < max(replicas, 2), sentence, self.last, requirement="RFC6846-6.1.1-6")

    # ---- one side alone

    @keyword("A Compressor")
    def a_compressor(self, flow: str, **named: str) -> None:
        """Begins the story of a compressor that is given FLOW, or `flows` of them, each with a context of its own.
        `confidence` is by how many packets at least it tells a change."""
        flows, confidence = int(named.pop("flows", 1)), int(named.pop("confidence", 1))
        config = self._config("", (), {**named, "decompressor": "none"})
        self._identify(config)
        self.story = Conversation(flow, config.channel, flows, confidence)
        self.subject = config

    @keyword("It Sends")
    def it_sends(self, count: int, expected: str = "any", change: str = "", flow: int = 0) -> None:
        """The next packets of each flow. EXPECTED is about their types: see `conformance.conversation`."""
        self._story(Conversation).send(count, expected, change, flow)

    @keyword("It Is Given")
    def it_is_given(self, feedback: str, flow: int | str = 0, about: int | None = None) -> None:
        """Feedback such as `STATIC-NACK(O) with CRC`, or a feedback vector by name, before its next packet. It is for
        the context of the n-th flow, or, with flow=unused, for a CID that no flow has."""
        self._story(Conversation).give(_feedback(feedback), flow, about)

    @keyword("It Is Given In Vain")
    def it_is_given_in_vain(self, feedback: str, flow: int | str = 0, about: int | None = None) -> None:
        """Feedback that must leave no trace: the link is octet by octet as without it."""
        self._story(Conversation).give(_feedback(feedback), flow, about, in_vain=True)

    @keyword("It Is Signalled")
    def it_is_signalled(self, message: str) -> None:
        """A control message to the compressor, such as {"signal": "reinitialize"}."""
        self._story(Conversation).signal(json.loads(message))

    @keyword("A Decompressor")
    def a_decompressor(self, flow: str, **named: str) -> None:
        """Begins the story of a decompressor. FLOW: rtp-ipv4, udp-ipv6, tcp-ipv4 …, or `uncompressed`."""
        interval = float(named.pop("interval", 20))
        config = self._config("", (), {**named, "compressor": "none"})
        self._identify(config)
        plain = flow == "uncompressed"
        channel = config.channel
        story = Timeline("udp-ipv4" if plain else flow, channel, plain, interval_ns=round(interval * 1e6))
        if not plain:
            profiles = channel["profiles"] if config.profiles_named else None
            assert config.decompressor is not None
            carriers.require(config.decompressor, profiles, [story.example()])
        self.story = story
        self.subject = config

    @keyword("It Receives")
    def it_receives(self, count: int, what: str, outcome: str = "delivered", answers: str = "") -> None:
        """Sends packets of a type, and names the required output and feedback: see `rohc.conformance.timeline`."""
        self._story(Timeline).receive(count, what, outcome, answers)

    @keyword("Its Flow Changes")
    def its_flow_changes(self, change: str, cid: int = 0) -> None:
        self._story(Timeline).change(change, cid)

    @keyword("It Is Set To")
    def message_sent(self, message: str) -> None:
        """A control message to the decompressor, such as {"mode": "U"}."""
        self._story(Timeline).tell(json.loads(message))

    @keyword("${seconds} Seconds Pass")
    def time_passes(self, seconds: float) -> None:
        self._story(Timeline | Conversation).pause(seconds)

    @keyword("So It Should Be")
    def so_it_should_be(self) -> None:
        """Plays the story and judges every step of it."""
        story, self.story = self.story, None
        if story is None:
            raise RuntimeError("There is no story: it begins with `A Compressor` or `A Decompressor`.")
        with verdicts.refusals_are_unsupported():
            if isinstance(story, Timeline):
                self._judge_timeline(story)
            else:
                self._judge_conversation(story)

    def _judge_timeline(self, story: Timeline) -> None:
        run = current_run()
        played = story.play(run.decompressor, run.build, self.subject.decompressor_options)
        current = collector.current()
        steps = [{"packets": step.count, "what": step.what, "outcome": step.outcome} for step in story.steps]
        current.parameters |= {"kind": "timeline", "flow": story.flow, "channel": story.channel, "steps": steps}
        current.metric(replay_metrics.LINK_PACKETS, len(story.links))
        current.metric(metrics.FEEDBACK, sum(len(answers) for answers in played.answers))
        if played.complaints or played.remarks:
            keep_text("engine.json", json.dumps(played.document, indent=1), "engine document")
        conclude_remarks(played.remarks, "decompressor")
        cases.must_be_empty(played.complaints)

    def _judge_conversation(self, story: Conversation) -> None:
        seen, without = story.run(self.subject)
        self.seen = seen
        self.heard_until = max((feedback.before for feedback in story.given), default=0)
        note_replay(seen)
        given = [
            {"before": feedback.before, "feedback": feedback.text, "flow": feedback.flow} for feedback in story.given
        ]
        collector.current().parameters |= {"kind": "conversation", "flow": story.flow, "given": given}
        conclude(seen)
        complaints = story.judge(seen, without)
        if complaints and prefers_larger(seen.done.config, story.flow):
            complaints = story.judge(seen, without, do_types_tell=False)
            if not complaints:
                raise SkipExecution(BY_CHOICE)
        heeded = any(not feedback.in_vain for feedback in story.given)
        if complaints and heeded and ignores_feedback(seen.done.config, seen.packets):
            complaints = [f"{complaints[0]}. As if it ignored all feedback, it sends the same octets without any"]
        expect(not complaints, some(complaints, 3), seen)

    def _story(self, kind: type[Any]) -> Any:
        if not isinstance(self.story, kind):
            begins = "A Compressor" if kind is Conversation else "A Decompressor"
            raise RuntimeError(f"This row belongs to a story that begins with `{begins}`.")
        return self.story

    @keyword("Jumps From One Reference Should Be Carried")
    def jumps_carried(self, flow: str, *changes: str) -> None:
        """A flow in O-mode that jumps again and again. Before each jump the last packet is acknowledged, so that it is
        the only reference, and the ends of the interpretation intervals are where they are without any loss."""
        self.a_compressor(flow, mode="O")
        self.it_sends(10)
        for change in ("", *changes):
            self.it_is_given("ACK(O) with CRC")
            self.it_sends(30, "at the end type 0, type 1", change)
        self.so_it_should_be()

    # ---- helpers

    @property
    def last(self) -> Observation:
        if self.seen is None:
            raise RuntimeError("Nothing has been observed yet: this keyword comes after one that sends traffic.")
        return self.seen

    def _config(self, source: str, changes: Iterable[str], named: dict[str, str]) -> ReplayConfig:
        """A replay of a profile, or of a flow with changes."""
        named = dict(named)
        count = int(named.pop("packets", 0)) if source and _is_flow(source) else 0
        channels = int(named.pop("channels", 1))
        features = split_names(named.pop("needs", ""))
        config = replay_options.config_of(SCHEME, source, named, current_run())
        if channels > 1:
            config.channel["channels"] = channels
        capabilities.agree_on_profiles(config)
        capabilities.turn_on(config, features)
        if source and _is_flow(source):
            at = {int(number): change for number, _, change in (change.partition(":") for change in changes)}
            config.source = losses.literal(losses.packets_of(Flow.of(source), at, count or 100))
        elif list(changes):
            raise UsageError("Only flows such as rtp-ipv4 have changes here; those of a profile stand in its file.")
        return config

    def _observe(self, config: ReplayConfig, confidence: int = 1) -> None:
        self.seen = None
        self._identify(config)
        self.seen = observe(config, WINDOW, confidence)
        note_replay(self.seen)

    def _conclude(self) -> None:
        """Fails the case if the judge has findings or packets never reached the link. An empty link tests nothing."""
        conclude(self.last)
        missing = stream.not_sent(self.last.packets)
        expect(
            not missing,
            f"The compressor loses {len(missing)} packets by itself: {some(missing, 3)}",
            self.last,
        )
        if not self.last.packets:
            raise Inconclusive("Nothing was sent, so nothing was tested.")

    def _must_be_delivered(self, decompressor: Implementation) -> None:
        """Fails the case if the decompressor does not deliver what the judge restores."""
        capabilities.require_what_is_sent(decompressor, self.last.contexts)
        late = [
            f"{nth('packet', packet.index)} ({packet.kind}) is {packet.verdict.replace('_', ' ')}"
            for packet in self.last.packets
            if packet.verdict != "identical" and packet.is_restored
        ]
        expect(not late, f"The judge restores them, but the decompressor does not: {some(late, 3)}", self.last)

    def _identify(self, config: ReplayConfig) -> None:
        """The implementations under test; skips the case where one does not declare what it needs."""
        path = replay.feedback_path(config)
        sides = config.sides
        for role, implementation in sides:
            verdicts.note(role, implementation, config.build)  # also of a case that is not for it
        verdicts.leave_to_the_other_side(current_run(), {role for role, _ in sides})
        for role, implementation in sides:
            capabilities.require(
                implementation, role, config.channel, config.build, feedback=path if len(sides) == 2 else "none"
            )


def _is_flow(name: str) -> bool:
    """A flow's own name goes before a traffic profile of the same name: only flows have changes."""
    layers, _, rest = name.partition("-")
    return layers in PROTOCOLS and (rest.startswith("ipv") or ("-ipv" in name and not _is_profile(name)))


def _is_profile(name: str) -> bool:
    from headroom.core import profiles

    return name in profiles.names()


def _feedback(text: str) -> str:
    """Words of feedback, or the octets of a feedback vector that is named."""
    vector = hand_derived.load_feedback().get(text)
    return f"raw {vector.element.hex()}" if vector else text
