# SPDX-License-Identifier: Apache-2.0
"""Keywords about SigComp endpoints: messages written by hand, and stories whose other end is the judge.

`conformance.endpoint_cases` and `endpoint_stories` decide. Cases of decompression test the endpoint that
`--decompressor` names, and cases of compression test the endpoint that `--compressor` names.
"""

import json
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import replace
from typing import Any

from robot.api import SkipExecution
from robot.api.deco import keyword

from headroom.core.errors import UsageError
from headroom.core.finding import Finding
from headroom.core.implementations import Role
from headroom.core.results import collector
from headroom.core.text import nth
from headroom.keywords import cases, verdicts
from headroom.keywords.artefacts import keep_text
from headroom.keywords.base import current_run, library
from headroom.keywords.cases import Case
from headroom.schemes.sigcomp import endpoints, metrics
from headroom.schemes.sigcomp.conformance import (
    endpoint_cases,
    endpoint_engine,
    endpoint_stories,
    nack_stories,
    shared_stories,
)
from headroom.schemes.sigcomp.conformance.endpoint_engine import EndpointUnderTest
from headroom.schemes.sigcomp.conformance.endpoint_session import Session
from headroom.schemes.sigcomp.conformance.endpoint_stories import NothingHappened
from headroom.schemes.sigcomp.conformance.peer import FarEnd
from headroom.schemes.sigcomp.judge import message as wire
from headroom.schemes.sigcomp.judge import tshark
from headroom.schemes.sigcomp.judge.assembling import assemble
from headroom.schemes.sigcomp.judge.endpoint import Offer
from headroom.schemes.sigcomp.judge.reasons import Reason
from headroom.schemes.sigcomp.scheme import SCHEME
from headroom.schemes.sigcomp.sip import calls, sequences
from headroom.schemes.sigcomp.sip.sequences import Message

DEFAULT = "default"  # of mechanisms: the implementation's own choice
NUMBERS = {"memory": "decompression_memory_size", "state": "state_memory_size", "cycles": "cycles_per_bit"}
LATER_VALUES = bytes(range(0xEA, 0x100))  # for addresses 10 to 31: none is 0
MOST_FINDINGS = 20
CYCLES = "cycles"  # the feature of those that tell how many UDVM cycles a message took
COUNTING = "RFC3320-8.6-"  # requirements that are about cycles


@library
class EndpointKeywords:
    """Two kinds of keywords for SigComp endpoints.

    `Messages …` and `Streams …` send messages written by hand to the endpoint; the outcomes are compared with the case
    and with the judge that is made from the RFCs. The other keywords tell a story: the endpoint sends and receives, and
    its peer is that judge. Named arguments are what the peer offers, `memory` (decompression memory), `state` (state
    memory) and `cycles` (per bit), and options of the implementation (`algorithm`, `search`, …).
    """

    # ---- messages written by hand

    @keyword("Messages Should Be Met")
    def messages_met(self, group: str, name: str) -> None:
        """A case of resources/vectors/sigcomp: each message gives the output, cycles or failure that it says."""
        self._case(group, name, nacks=False)

    @keyword("Messages And NACKs Should Be Met")
    def nacks_met(self, group: str, name: str) -> None:
        """As `Messages Should Be Met`. In addition, the endpoint answers exactly the messages that fail, each with the
        same NACK as the judge, octet by octet.
        """
        self._case(group, name, nacks=True)

    def _case(self, group: str, name: str, nacks: bool) -> None:
        case = endpoint_cases.case(group, name, _lowest_version())
        endpoint = _receiver(
            EndpointUnderTest(None, case.offer, compartments=case.compartments), ["nack"] if nacks else []
        )
        seen = endpoint_engine.seen_of(case, endpoint)
        collector.current().parameters |= {"kind": "messages", "group": group, "case": name, "shows": case.title}
        collector.current().metric(metrics.MESSAGES, len(case.steps))
        counts = _has_cycles(endpoint)
        if wrong := endpoint_cases.faults(case, seen, nacks, counts):
            keep_text("messages.json", json.dumps(_shown(case, seen), indent=1), "messages and outcomes")
            cases.must_be_empty(wrong, case.title)
        if not counts:
            _without_cycles(endpoint)

    @keyword("Streams Should Be Met")
    def streams_met(self, group: str, name: str) -> None:
        """The streams of a test of RFC 4465: each message in them gives what the RFC says."""
        wrong = []
        for number, (octets, case) in enumerate(endpoint_cases.streams(name, _lowest_version()), 1):
            endpoint = _receiver(EndpointUnderTest(None, case.offer, stream=True, compartments=case.compartments))
            session = Session(endpoint_engine.player(endpoint))
            seen = list(session.done(session.decompress(octets)).seen)
            collector.current().metric(metrics.MESSAGES, len(case.steps))
            faults = endpoint_cases.faults(case, seen, cycles=_has_cycles(endpoint))
            wrong += [f"stream {number}: {what}" for what in faults]
        _must_be_empty(wrong)
        if not _has_cycles(endpoint):
            _without_cycles(endpoint)

    # ---- calls

    @keyword("A Call Should Be Carried")
    def call_carried(
        self,
        sequence: str,
        mechanism: str = DEFAULT,
        people: str = "printed",
        loss: float = 0.0,
        refusals: bool = False,
        calls: int = 1,
        shorter: bool = False,
        **more: Any,
    ) -> None:
        """A call, whose caller is the endpoint: every message comes out as it went in, at the judge and at tshark.

        PEOPLE: `printed`, or `others` by the run's seed. LOSS: share of messages, either way, that are lost and sent
        again. REFUSALS: whether the endpoint may decline to compress a message for a peer with so little memory.
        CALLS: how many, one after another in the same compartment; with `others` each has people of its own. SHORTER:
        the criterion, instead of tshark, is whether the messages have fewer octets in the end.
        """
        seed = current_run().seed
        call = [message for number in range(int(calls)) for message in _call(sequence, people, seed + number)]
        far = FarEnd(replace(_far_of(mechanism), **_numbers(more)))
        session, endpoint = _sender(mechanism, far, more)
        heard: list[tuple[bytes, bytes]] = []
        # An endpoint need not serve a peer that keeps no state, or little: it says so when it is to open a compartment.
        with verdicts.refusals_are_unsupported() if more else nullcontext():
            wrong = _happened(
                lambda: endpoint_stories.carried(session, far, call, float(loss), seed, bool(refusals), heard)
            )
        current = collector.current()
        current.parameters |= {"kind": "call", "sequence": sequence, "people": people, "mechanism": mechanism}
        current.parameters |= {"loss": float(loss), "configuration": endpoint.configuration()}
        sent = [octets for _, octets in heard]
        plain = sum(len(message) for message, _ in heard)
        current.metric(metrics.MESSAGES_COMPRESSED, len(sent))
        if plain:
            current.metric(metrics.COMPRESSED_SHARE, sum(map(len, sent)) / plain)
        wrong += endpoint_stories.nothing_saved(heard) if shorter else _second_opinion(heard)
        if wrong:
            keep_text("messages.json", json.dumps([octets.hex() for octets in sent], indent=1), "link messages")
        _must_be_empty(wrong)

    @keyword("A Call Should Not Rest On Reserved Addresses")
    def reserved_addresses(self, mechanism: str = DEFAULT, **options: Any) -> None:
        """Carries a call to a peer whose memory is not 0 at addresses 10 to 31, as it may be in a later version of
        SigComp."""
        far = FarEnd(_far_of(mechanism), reserved=LATER_VALUES)
        session, _ = _sender(mechanism, far, options)
        call = _call("3gpp-video-call", "printed", 1)
        _must_be_empty(_happened(lambda: endpoint_stories.carried(session, far, call)))

    @keyword("A Call Should Be Streamed")
    def call_streamed(self, sequence: str, piece: int, mechanism: str = DEFAULT) -> None:
        """A call over streams: each message that the endpoint sends is delimited and comes out. So does each that it
        gets, in pieces of so many octets."""
        far = FarEnd(Offer(stream=True))
        session, _ = _sender(mechanism, far, {}, stream=True)
        _must_be_empty(endpoint_stories.streamed(session, far, _call(sequence, "printed", 1), int(piece)))

    @keyword("Each Message Should Be One On A Stream")
    def one_message_each(self, sequence: str, mechanism: str = DEFAULT) -> None:
        far = FarEnd(Offer(stream=True))
        session, _ = _sender(mechanism, far, {}, stream=True)
        _must_be_empty(endpoint_stories.one_message_each(session, far, _call(sequence, "printed", 1)))

    @keyword("Messages Should Survive Reordering")
    def reordering(self, mechanism: str = DEFAULT) -> None:
        self._story(endpoint_stories.reordered, mechanism)

    @keyword("Messages Should Rest On What Has Arrived")
    def never_acknowledged(self, mechanism: str = DEFAULT) -> None:
        self._story(endpoint_stories.never_acknowledged, mechanism)

    @keyword("Messages Should Rest On What Is Still There")
    def first_acknowledged(self, mechanism: str = DEFAULT, **offer: Any) -> None:
        far = FarEnd(_offer(offer))
        session, _ = _sender(mechanism, far, {})
        _must_be_empty(endpoint_stories.first_acknowledged(session, far))

    @keyword("Messages Should Follow Late Acknowledgements")
    def acknowledged_late(self, mechanism: str = DEFAULT) -> None:
        self._story(endpoint_stories.acknowledged_late, mechanism)

    @keyword("Messages Sent Again Should Be Decompressed")
    def sent_again(self, mechanism: str = DEFAULT) -> None:
        self._story(endpoint_stories.sent_again, mechanism)

    @keyword("A Message That Is Too Long Should Be Refused")
    def too_long(self, mechanism: str = DEFAULT) -> None:
        self._story(endpoint_stories.too_long, mechanism)

    # ---- feedback

    @keyword("Feedback Should Be Returned")
    def feedback(self, **more: Any) -> None:
        """Named arguments are those of the endpoint itself."""
        self._story(endpoint_stories.feedback_returned, features=["feedback"], own=_offer(more))

    @keyword("Newest Feedback Should Be Returned")
    def newest_feedback(self) -> None:
        self._story(endpoint_stories.newest_feedback_returned, features=["feedback"])

    @keyword("Reserved Bits Of A Request Should Be Ignored")
    def reserved_bits(self) -> None:
        self._story(endpoint_stories.reserved_bits_ignored, features=["feedback"])

    @keyword("Feedback Should Be Repeated")
    def feedback_repeated(self) -> None:
        self._story(endpoint_stories.feedback_repeated, features=["feedback"])

    @keyword("Parameters Should Be Told")
    def parameters(self, memory: int, state: int, cycles: int, i_bit: bool = False) -> None:
        """An endpoint that offers so much says so; with I-BIT, to a peer that wants no local state announced."""
        own = Offer(int(memory), int(state), int(cycles))
        far = FarEnd(Offer() if _can_have_peer() else own)
        session, _ = _sender(DEFAULT, far, {}, ["announcements"], own)
        wrong = endpoint_stories.parameters_announced(session, far, own, bool(i_bit))
        _must_be_empty([sentence for sentence in wrong if sentence != endpoint_stories.NOT_TOLD])
        verdicts.expect(not wrong, f"{endpoint_stories.NOT_TOLD}.", "RFC3320-5-8", "compressor")

    @keyword("Less Should Be Used When Less Is Offered")
    def less(self, mechanism: str = DEFAULT, **less: Any) -> None:
        """The peer says that it offers so much, less than before. Named arguments are those of the peer."""
        self._story(lambda session, far: endpoint_stories.less_announced(session, far, _offer(less)), mechanism)

    # ---- NACKs that come in

    @keyword("NACK Should Be Heeded")
    def nack_heeded(self, mechanism: str = DEFAULT) -> None:
        self._story(nack_stories.nack_heeded, mechanism, ["nack"])

    @keyword("NACK Should Concern Its Own Compartment")
    def nack_elsewhere(self, mechanism: str = DEFAULT) -> None:
        far, other = FarEnd(_far_of(mechanism)), FarEnd(_far_of(mechanism))
        session, _ = _sender(mechanism, far, {}, ["nack"], compartments=2)
        _must_be_empty(_happened(lambda: nack_stories.nack_of_another_compartment(session, far, other)))

    @keyword("NACK About Nothing Should Change Nothing")
    def nack_about_nothing(self, mechanism: str = DEFAULT) -> None:
        far = FarEnd(_far_of(mechanism))
        session, _ = _sender(mechanism, far, {}, ["nack"])
        _must_be_empty(nack_stories.unknown_nack_ignored(session, far, Session(session.play)))

    @keyword("NACK About Cycles Should Be Heeded")
    def nack_about_cycles(self) -> None:
        """The peer has the fewest cycles per bit that there are, but is announced with the most."""
        offer = Offer(cycles_per_bit=128)
        self._nack_about_less(offer, Offer(), nack_stories.ALL_ALIKE, Reason.CYCLES_EXHAUSTED, {"length_bits": 8})

    @keyword("NACK About Memory Should Be Heeded")
    def nack_about_memory(self) -> None:
        """The peer has the least decompression memory that there is, but is announced with more."""
        offer, is_so = Offer(decompression_memory_size=16384), Offer(decompression_memory_size=2048)
        options = {"most_compressed": 8000}
        self._nack_about_less(offer, is_so, nack_stories.NONE_ALIKE, Reason.BYTECODES_TOO_LARGE, options)

    def _nack_about_less(
        self, offer: Offer, is_so: Offer, heavy: bytes, reason: Reason, options: dict[str, Any]
    ) -> None:
        """OPTIONS are for an implementation that has them, without which it would be too cautious to be refused."""
        case = about("compressor")  # before its options are read
        session, _ = _sender(DEFAULT, FarEnd(offer), endpoints.fitting(options, case.found, case.run.build), ["nack"])
        _must_be_empty(_happened(lambda: nack_stories.nack_about_less(session, FarEnd(is_so), heavy, reason)))

    # ---- state that is kept for the peer

    @keyword("Shared State Should Be Announced Before It Is Used")
    def announced_before_use(self) -> None:
        self._story(shared_stories.announced_before_use, _sharing())

    @keyword("Shared State Should Crowd Out Nothing")
    def nothing_crowded_out(self) -> None:
        far = FarEnd(_far_of(_sharing()))
        session, endpoint = _sender(_sharing(), far, {}, own=Offer())
        size = (endpoint.offer or Offer()).state_memory_size
        _must_be_empty(shared_stories.nothing_crowded_out(session, far, size))

    @keyword("Shared State Should Not Be Announced After An I-Bit")
    def silent_after_i_bit(self) -> None:
        self._story(shared_stories.silent_after_i_bit, _sharing(), ["announcements"])

    # ---- streams

    @keyword("Several Messages Should Come Out Of One Piece")
    def several_at_once(self) -> None:
        texts = [b"\xff" * 300, b"SIP/2.0 200 OK\r\n\r\n", bytes(range(256))]
        far = FarEnd(Offer(stream=True))
        stream = b"".join(wire.mark(far.says(text)) for text in texts)
        seen = _heard_on_stream([stream])
        _must_be_empty(
            [] if [outcome.output for outcome in seen] == texts else [f"{len(seen)} came out where 3 should"]
        )

    @keyword("The UDVM Should Have Half Of The Memory On A Stream")
    def half_of_the_memory(self) -> None:
        code = assemble("OUTPUT (0, 2)\nEND-MESSAGE (0,0,0,0,0,0,0)")
        seen = _heard_on_stream([wire.mark(wire.upload(code))])
        size = Offer().decompression_memory_size // 2
        right = [size.to_bytes(2, "big")]
        came = [outcome.output for outcome in seen]
        _must_be_empty([] if came == right else [f"it has {came[0].hex() if came else 'nothing'}, not {size} octets"])

    @keyword("A Plain Stream Should Come Out As It Came")
    def plain_stream(self) -> None:
        text = b"OPTIONS sip:user@example.com SIP/2.0\r\n\r\n" + bytes([0xF8, 0xFF, 0xFF]) + b"SIP/2.0 200 OK\r\n\r\n"
        seen = _heard_on_stream([text[:10], text[10:]])
        came = b"".join(outcome.output for outcome in seen)
        kinds = {outcome.kind for outcome in seen}
        _must_be_empty([] if came == text and kinds == {"plain"} else [f"{len(came)} octets came out, {kinds}"])

    @keyword("A Reserved Code Should Fail")
    def reserved_code(self) -> None:
        kinds = [(outcome.kind, outcome.reason) for outcome in _broken_stream()[:2]]
        right = [("compressed", 0), ("failed", 25)]
        _must_be_empty([] if kinds == right else [f"it was {kinds}, not a message and a failure"])

    @keyword("A Broken Stream Should Be Over")
    def broken_stream(self) -> None:
        late = any(outcome.output for outcome in _broken_stream()[1:])
        _must_be_empty(["a message came out after the reserved code"] if late else [])

    @keyword("A Broken Stream Should Be Answered")
    def broken_stream_answered(self) -> None:
        seen = _heard_on_stream([b"\xf8\xff\x80"], ["nack"])
        right = wire.mark(wire.nack(25, bytes(20)))
        _must_be_empty(_answer(seen, right))

    @keyword("A Failure On A Stream Should Be Answered")
    def failure_on_a_stream_answered(self) -> None:
        message = wire.upload(assemble("DECOMPRESSION-FAILURE"), b"\xff\xff\x00\xff" * 50)
        far = FarEnd(Offer(stream=True))
        right = wire.mark(far.refuses(message, far.hears(message)))
        _must_be_empty(_answer(_heard_on_stream([wire.mark(message)], ["nack"]), right))

    def _story(
        self, story: Any, mechanism: str = DEFAULT, features: Sequence[str] = (), own: Offer | None = None
    ) -> None:
        far = FarEnd(_far_of(mechanism))
        session, _ = _sender(mechanism, far, {}, features, own)
        _must_be_empty(_happened(lambda: story(session, far)))


def _broken_stream() -> list[endpoint_cases.MessageOutcome]:
    """Returns the outcomes of a stream with a whole message, a reserved code, and the same message again."""
    far = FarEnd(Offer(stream=True))
    whole = wire.mark(far.says(b"SIP/2.0 200 OK\r\n\r\n"))
    return _heard_on_stream([whole, b"\xf8\xff\x80", whole])


# ---- endpoints of a case


def about(role: Role) -> Case:
    return cases.about(SCHEME, "headroom", role)


def _receiver(endpoint: EndpointUnderTest, features: Sequence[str] = ()) -> EndpointUnderTest:
    """The endpoint that decompresses."""
    case = about("decompressor")
    endpoint = replace(endpoint, implementation=case.found, build=case.run.build)
    endpoint_engine.require(endpoint, features)
    return endpoint


def _lowest_version() -> int:
    """The lowest SigComp_version of the endpoint that decompresses: 1, unless it declares otherwise."""
    return int(current_run().decompressor.declared(endpoints.SCHEME).get("min_version", 1))


def _has_cycles(endpoint: EndpointUnderTest) -> bool:
    return not endpoints.lacking(endpoint.endpoint(), [CYCLES])


def _without_cycles(endpoint: EndpointUnderTest) -> None:
    """Notes that cycles were not compared. Skips a case that is about how they are counted: the rest of it is right."""
    sentence = f"{endpoint.name} does not declare the feature {CYCLES}, so the UDVM cycles of messages are not compared"
    if any(text.startswith(COUNTING) for text in verdicts.requirements_of_case()):
        raise SkipExecution(f"{sentence}; everything else in this case is as it should be.")
    collector.current().findings.append(Finding(f"{sentence}.", severity="note"))


def _sender(
    mechanism: str,
    far: FarEnd,
    options: dict[str, Any],
    features: Sequence[str] = (),
    own: Offer | None = None,
    stream: bool = False,
    compartments: int = 1,
) -> tuple[Session, EndpointUnderTest]:
    """The endpoint that compresses, and a conversation with it. One that takes its peer to be as it is itself is given
    the peer's offer where `own` does not say another."""
    case = about("compressor")
    if own is None and not _can_have_peer():
        own = far.offer
    chosen = {key: _value(text) for key, text in options.items() if key not in NUMBERS}
    if mechanism != DEFAULT:
        chosen["mechanism"] = mechanism
    endpoint = EndpointUnderTest(case.found, own or Offer(), far.offer, chosen, stream, compartments, case.run.build)
    endpoint_engine.require(endpoint, ["compression", *features])
    collector.current().parameters |= {"mechanism": mechanism}
    return Session(endpoint_engine.player(endpoint)), endpoint


def _can_have_peer() -> bool:
    return endpoints.PEER in current_run().compressor.declared(endpoints.SCHEME).get("features", ())


def _sharing() -> str:
    """The mechanism for shared compression; of an endpoint that has no name for it, whatever it does."""
    run = current_run()
    return "shared" if endpoints.has_option(run.compressor, "mechanism", "shared", run.build) else DEFAULT


def _value(text: Any) -> Any:
    return int(text) if isinstance(text, str) and text.isdecimal() else text


def _numbers(more: dict[str, Any]) -> dict[str, Any]:
    return {NUMBERS[key]: int(value) for key, value in more.items() if key in NUMBERS}


def _offer(more: dict[str, Any]) -> Offer:
    return Offer(**_numbers(more))


def _far_of(mechanism: str) -> Offer:
    """The offer of a peer with enough state memory for a mechanism."""
    return Offer(state_memory_size=65536) if mechanism in ("dynamic", "shared") else Offer()


def _call(sequence: str, people: str, seed: int) -> tuple[Message, ...]:
    if people not in ("printed", "others"):
        raise UsageError(f"people must be 'printed' or 'others', not '{people}'.")
    if people == "others":
        return calls.call(sequence, seed).messages
    return sequences.load(sequences.path_of(sequence))


# ---- what came of it


def _happened(story: Callable[[], list[str]]) -> list[str]:
    """Returns the faults of a story. Skips the case if the condition under test never occurred."""
    try:
        return story()
    except NothingHappened as nothing:
        raise SkipExecution(str(nothing)) from nothing


def _heard_on_stream(pieces: Sequence[bytes], features: Sequence[str] = ()) -> list[endpoint_cases.MessageOutcome]:
    session = Session(endpoint_engine.player(_receiver(EndpointUnderTest(None, stream=True), features)))
    acts = [session.decompress(piece) for piece in pieces]
    return [outcome for act in acts for outcome in session.done(act).seen]


def _answer(seen: Sequence[endpoint_cases.MessageOutcome], right: bytes) -> list[str]:
    came = b"".join(outcome.nack for outcome in seen)
    return [] if came == right else [f"the answer is {came.hex() or 'none'}, it should be {right.hex()}"]


def _second_opinion(heard: Sequence[tuple[bytes, bytes]]) -> list[str]:
    """Sentences about messages that tshark's UDVM restores differently from their compressed forms. Without tshark,
    notes that in the record.
    """
    current = collector.current()
    if not tshark.is_available():
        current.findings.append(Finding("tshark is not installed, so the second judge is missing.", severity="note"))
        return []
    seen = tshark.read([(0, octets) for _, octets in heard])
    wrong = [
        f"tshark reads {'nothing' if reading.output is None else f'{len(reading.output)} octets'} in "
        f"{nth('message', number)}, which has {len(message)}"
        for number, (reading, (message, _)) in enumerate(zip(seen, heard, strict=True))
        if reading.output != message
    ]
    current.metric(metrics.CONFIRMED_BY_TSHARK, len(heard) - len(wrong))
    return wrong


def _must_be_empty(wrong: Sequence[str]) -> None:
    if wrong:
        current = collector.current()
        current.findings += [Finding(sentence, judge="headroom") for sentence in wrong[:MOST_FINDINGS]]
        cases.must_be_empty(wrong)


def _shown(case: endpoint_cases.Case, seen: Sequence[endpoint_cases.MessageOutcome]) -> list[dict[str, Any]]:
    return [
        {"message": step.octets.hex(), "expected": step.expect, "kind": outcome.kind, "output": outcome.output.hex()}
        | {
            "cycles": outcome.cycles,
            "reason": outcome.reason,
            "opcode": outcome.opcode,
            "pc": outcome.pc,
            "nack": outcome.nack.hex(),
        }
        for step, outcome in zip(case.steps, seen, strict=False)
    ]
