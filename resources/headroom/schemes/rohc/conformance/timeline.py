# SPDX-License-Identifier: Apache-2.0
"""A decompressor alone, sent packets by hand, step by step: what it delivers and what it answers at each step.

Packets of every step are of one type (see `sender`): right, with a wrong CRC, or lost before they arrive. Each is what
its context's flow has next, so that a packet that comes out can be compared octet by octet.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from headroom.core import engine
from headroom.core.capabilities import PATIENCE_S, promise
from headroom.core.errors import UsageError
from headroom.core.implementations import Implementation
from headroom.schemes.rohc.conformance import capabilities, feedback
from headroom.schemes.rohc.conformance.flow import INTERVAL_NS, Flow
from headroom.schemes.rohc.conformance.sender import Sender
from headroom.schemes.rohc.judge import Parameters
from headroom.schemes.rohc.judge.framework.findings import Remark
from headroom.schemes.rohc.judge.v1.feedback import Feedback
from headroom.schemes.rohc.judge.v1.rules_stream import WITHOUT_CRC

SN_BITS = {"IR": 16, "IR-DYN": 16}  # of packets that have more than the SN field of FEEDBACK-2
OUTCOMES = ("delivered", "withheld", "delivered or withheld", "anything")
LOST = "lost"
AS_BEFORE = "as before "
KIND = r"(?:any|FEEDBACK-1|(?:any|ACK|NACK|STATIC-NACK)\([UOR]\)(?: with CRC)?)"
ANSWERS = re.compile(rf"none|at most (\d+)|(some|each|only) ({KIND})")


@dataclass
class Step:
    """`count` link packets; `answers` is what is expected of the feedback, "" when nothing is."""

    what: str
    outcome: str
    answers: str
    first: int  # number of the first link packet
    count: int = 0
    cid: int = 0
    kind: str = ""
    mode: str = ""  # that its packets carry


@dataclass
class TimelineOutcome:
    """What came of a timeline: `complaints` about steps, `remarks` about feedback, the engine's document."""

    complaints: list[str] = field(default_factory=list)
    remarks: list[Remark] = field(default_factory=list)
    document: dict[str, Any] = field(default_factory=dict)
    answers: list[list[Feedback]] = field(default_factory=list)  # by step


@dataclass
class Timeline:
    """`channel` is the decompressor's configuration; `flow` names the flow of each context (see `Flow.of`)."""

    flow: str
    channel: dict[str, Any] = field(default_factory=dict)
    uncompressed: bool = False
    interval_ns: int = INTERVAL_NS
    steps: list[Step] = field(default_factory=list)
    links: list[dict[str, Any]] = field(default_factory=list)
    expected: list[dict[str, Any] | None] = field(default_factory=list)
    control: list[dict[str, Any]] = field(default_factory=list)
    senders: dict[int, Sender] = field(default_factory=dict)
    sns: list[int] = field(default_factory=list)  # sequence number of each link packet
    now_ns: int = 0

    @property
    def parameters(self) -> Parameters:
        return Parameters.of(self.channel)

    def sender(self, cid: int) -> Sender:
        if cid not in self.senders:
            large = self.channel.get("cids") == "large"
            self.senders[cid] = Sender(Flow.of(self.flow, cid), cid, large, self.uncompressed)
        return self.senders[cid]

    def receive(self, count: int, what: str, outcome: str = "delivered", answers: str = "") -> None:
        """The next `count` packets.

        `what` is a packet type with, in this order and each of it optional: `damaged` (its CRC is wrong), `poisoned`
        (it is that of another sequence number) or `garbled` (both) before it, `without dynamic chain`, `with mode U`,
        `for CID 3` behind it; or `lost`. `outcome` is one of `OUTCOMES`; `answers` as in `judge_answers`.
        """
        pattern = (
            r"(?:(damaged|poisoned|garbled) )?(lost|[A-Za-z0-9-]+?)( without dynamic chain)?"
            r"(?: with mode ([UOR0]))?(?: for CID (\d+))?"
        )
        match = re.fullmatch(pattern, what)
        if answers.startswith(AS_BEFORE) and not re.fullmatch(KIND, answers.removeprefix(AS_BEFORE)):
            raise UsageError(f"'{answers}' says nothing about answers; say such as `as before ACK(O)`.")
        if not match or outcome not in OUTCOMES:
            raise UsageError(
                f"'{what}', '{outcome}' is no step; say such as `UO-0`, `damaged UOR-2-ID`, "
                f"`IR with mode U for CID 3`, `lost`, and one of {', '.join(OUTCOMES)}."
            )
        spoilt, kind, bare, mode, cid = match.groups()
        sender = self.sender(int(cid or 0))
        step = Step(what, outcome, answers, len(self.links), cid=sender.cid, kind=kind, mode=mode or "")
        self.steps.append(step)
        for _ in range(count):
            if kind == LOST:
                sender.skip()
            else:
                other = spoilt in ("poisoned", "garbled")
                if other:
                    _jump(sender, 5)
                link, original = sender.packet(kind, mode, not bare, wrong_crc=spoilt in ("damaged", "garbled"))
                if other:
                    _jump(sender, -5)
                self.links.append({"time_ns": self.now_ns, "channel": 0, "hex": link.hex()})
                due = outcome in ("delivered", "delivered or withheld")
                self.expected.append({"time_ns": self.now_ns, "channel": 0, "hex": original.hex()} if due else None)
                self.sns.append(sender.last_sn)
                step.count += 1
            self.now_ns += self.interval_ns

    def pause(self, seconds: float) -> None:
        """Nothing is sent for a while."""
        self.now_ns += round(seconds * 1e9)

    def tell(self, message: dict[str, Any]) -> None:
        """A control message to the decompressor before the next packet."""
        self.control.append({"before": len(self.links), "side": "decompressor", "message": message})

    def change(self, words: str, cid: int = 0) -> None:
        self.sender(cid).flow.change(words)

    def job(self, decompressor: dict[str, Any]) -> dict[str, Any]:
        return {
            "decompressor": decompressor,
            "source": {"packets": self.links},
            "expected": {"packets": self.expected},
            "control": self.control,
            "records": "all",
        }

    def play(self, found: Implementation, build: str, options: dict[str, Any] | None = None) -> TimelineOutcome:
        """Sends everything to a fresh decompressor, which gets these options too, and judges what it did."""
        job = self.job(capabilities.adapter(found, self.channel, build, options))
        document = engine.run("replay", job, PATIENCE_S, build)
        promise(document)
        return self.judge(document)

    def judge(self, document: dict[str, Any]) -> TimelineOutcome:
        played = TimelineOutcome(document=document)
        records = {record["packet"]: record for record in document["records"] if "packet" in record}
        read_so_far: int | None = None  # sequence number of the last packet that was decompressed and had a CRC
        mode = "U"  # as the packets have set it
        unanswered: list[str] = []
        for number, step in enumerate(self.steps, 1):
            mine = [records[n] for n in range(step.first, step.first + step.count)]
            where = f"step {number} ({step.count} x {step.what})"
            mode = step.mode or mode
            played.complaints += [f"{where}: {sentence}" for sentence in _outcomes(step, mine)]
            read: list[list[Feedback]] = []
            for record in mine:
                profile = self.senders[step.cid].profile
                reading = feedback.read(
                    [bytes.fromhex(one) for one in record.get("feedback", ())], self.parameters, profile
                )
                played.remarks += reading.remarks
                sn = self.sns[record["packet"]]
                without_crc = step.kind in WITHOUT_CRC
                if not self.uncompressed:
                    played.remarks += _about(reading.read, step.cid, None if without_crc else sn, read_so_far)
                if mode == "R":
                    played.remarks += _short_numbers(reading.read, step.kind)
                if not without_crc and (record["verdict"] in ("identical", "delivered") or step.outcome == "anything"):
                    read_so_far = sn
                read.append(reading.read)
            played.answers.append([one for several in read for one in several])
            if step.answers.startswith(AS_BEFORE):
                played.complaints += [f"{where}: {one}" for one in self._as_before(number, step.answers, played)]
            elif step.answers:
                wrong = [f"{where}: {sentence}" for sentence in judge_answers(step.answers, read)]
                played.complaints += wrong
                unanswered += wrong
        if unanswered and not any(played.answers):
            cause = f"the decompressor gives no feedback at all; {unanswered[0]}"
            played.complaints = [cause, *(one for one in played.complaints if one not in unanswered)]
        return played

    def _as_before(self, number: int, expected: str, played: TimelineOutcome) -> list[str]:
        """RFC 3095, 5.4.2.2: who uses optional feedback once goes on with it."""
        kind = expected.removeprefix(AS_BEFORE)
        earlier = [n for n, step in enumerate(self.steps[: number - 1]) if step.answers == expected]
        then = any(_any_is(kind, played.answers[n]) for n in earlier)
        now = _any_is(kind, played.answers[-1])
        return (
            [f"no {kind} comes any more, though such packets were answered with it before"] if then and not now else []
        )


def _jump(sender: Sender, packets: int) -> None:
    """Moves a flow ahead, or back: its next packet is valid but another, a residual error that no CRC notices."""
    flow = sender.flow
    flow.sn = (flow.sn + packets) & flow.sn_mask
    flow.ts = (flow.ts + packets * flow.step) & 0xFFFFFFFF
    for ip in flow.ips:
        if ip.behaviour == "sequential":
            ip.identification = (ip.identification + packets) & 0xFFFF


def _outcomes(step: Step, records: Sequence[dict[str, Any]]) -> list[str]:
    """Whether what came out is what the step says."""
    allowed = {
        "delivered": ("identical",),
        "withheld": ("withheld",),
        "delivered or withheld": ("identical", "not_delivered"),
        "anything": ("withheld", "unexpected", "identical", "not_delivered", "mismatched"),
    }[step.outcome]
    for n, record in enumerate(records):
        if record["verdict"] not in allowed:
            statuses = ", ".join(arrival["status"] for arrival in record.get("decompressor", ())) or "nothing"
            what = {
                "not_delivered": "is not delivered",
                "unexpected": "is delivered, but nothing may come out",
                "mismatched": "comes out other than it was",
            }.get(record["verdict"], record["verdict"])
            return [f"packet {n + 1} of {len(records)} {what} ({statuses})"]
    return []


def _about(read: Sequence[Feedback], cid: int, sn: int | None, last: int | None) -> list[Remark]:
    """RFC 3095, 5.7.6.1: feedback names its context and the header that caused it, or the last one decompressed.

    `sn` is None for a packet without CRC: then it is the last one with a CRC that is named (RFC 4815, 3.2).
    """
    found = []
    for one in read:
        if one.cid != cid:
            found.append(
                Remark("RFC5795-5.2.4.1-5", f"A packet of CID {cid} is answered with feedback for CID {one.cid}.")
            )
        if (
            one.sn_is_valid
            and (sn is None or not feedback.sn_matches(one, sn))
            and (last is None or not feedback.sn_matches(one, last))
        ):
            known = "no packet was decompressed yet" if last is None else f"the last one decompressed had {last}"
            caused = "caused it has no CRC" if sn is None else f"caused it had {sn}"
            sentence = f"{feedback.words_of(one)} carries SN {one.sn.value}; the packet that {caused}, {known}."
            if sn is None:
                found.append(Remark("RFC4815-3.2-3", sentence))
                continue
            found.append(Remark("RFC3095-5.7.6.1-2" if last is None else "RFC3095-5.7.6.1-1", sentence))
    return found


def _short_numbers(read: Sequence[Feedback], kind: str) -> list[Remark]:
    """RFC 3095, 5.5.2.2: in R-mode the SN of feedback has at least as many bits as that of the packet."""
    bits = SN_BITS.get(kind, 0)
    return [
        Remark(
            "RFC3095-5.5.2.2-10",
            f"{feedback.words_of(one)} has {one.sn.width} bits of SN; {kind}, which it answers, has {bits}.",
        )
        for one in read
        if one.sn_is_valid and one.sn.width < bits
    ]


def judge_answers(expected: str, read: Sequence[Sequence[Feedback]]) -> list[str]:
    """What is wrong with the answers to the packets of a step.

    `expected`: `none`; `some ACK(O) with CRC`, at least one; `each ACK(U) with CRC`, one for every packet; `only
    NACK(O)`, no other; `at most 8`, so many in all. (`as before ACK(O)`, if an earlier step with these words saw it, is
    for `Timeline.judge`.) Several are joined by a semicolon; `any` stands for every feedback, `any(U)` for all
    with that mode.
    """
    found = []
    everything = [feedback.words_of(one) for several in read for one in several]
    for part in expected.split(";"):
        match = ANSWERS.fullmatch(part.strip())
        if not match:
            raise UsageError(
                f"'{part}' says nothing about answers; say none, some, each or only and a feedback such as "
                "ACK(O) with CRC, or at most N."
            )
        most, quantity, kind = match.groups()
        if most is not None:
            count = len(everything)
            wrong = f"it is answered {count} times, at most {most} are due" if count > int(most) else ""
        elif quantity is None:
            wrong = f"it is answered with {everything[0]}, but no answer is due" if everything else ""
        elif quantity == "some":
            there = any(_is(kind, one) for one in everything)
            wrong = "" if there else f"no {kind} comes; what comes: {_list(everything)}"
        elif quantity == "only":
            other = [one for one in everything if not _is(kind, one)]
            wrong = f"{other[0]} comes, but only {kind} may" if other else ""
        else:
            first = next((n for n, one in enumerate(read, 1) if not _any_is(kind, one)), None)
            wrong = f"packet {first} is not answered with {kind}; what comes: {_list(everything)}" if first else ""
        found += [wrong] if wrong else []
    return found


def _any_is(kind: str, several: Sequence[Feedback]) -> bool:
    return any(_is(kind, feedback.words_of(one)) for one in several)


def _is(kind: str, words: str) -> bool:
    """True if feedback is of a kind. That with CRC is one without, too; FEEDBACK-1 is an ACK without mode information,
    which suffices wherever no CRC is asked for (RFC 3095, 5.7.6.1)."""
    if kind.startswith("any("):
        return any(_is(kind.replace("any", one), words) for one in ("ACK", "NACK", "STATIC-NACK"))
    if words == "FEEDBACK-1" and kind in ("ACK(U)", "ACK(O)", "ACK(R)"):
        return True
    return kind == "any" or words == kind or words.startswith(kind + " ")


def _list(everything: Sequence[str]) -> str:
    return ", ".join(everything[:4]) + (" …" if len(everything) > 4 else "") if everything else "nothing"
