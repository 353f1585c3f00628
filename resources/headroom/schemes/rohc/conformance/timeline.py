# SPDX-License-Identifier: Apache-2.0
"""Tests a decompressor alone with link packets written by hand: its output and its feedback, step by step.

The packets of a step have one type (see `sender` and `tcp_sender`). They are right, have a wrong CRC, or are lost
before they arrive. Each stands for the next packet of its context's flow, so that the output can be compared octet by
octet.
"""

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from headroom.core import engine
from headroom.core.capabilities import PATIENCE_S, promise
from headroom.core.errors import UsageError
from headroom.core.implementations import Implementation
from headroom.core.text import nth
from headroom.schemes.rohc.conformance import besides, capabilities, feedback
from headroom.schemes.rohc.conformance.feedback import Feedback
from headroom.schemes.rohc.conformance.flow import INTERVAL_NS, Flow
from headroom.schemes.rohc.conformance.numbers import (
    MasterSequenceNumbers,
    NoNumbers,
    NumberRules,
    SentPacket,
    SequenceNumbers,
)
from headroom.schemes.rohc.conformance.sender import Sender
from headroom.schemes.rohc.conformance.tcp_sender import PAYLOAD, Base, TcpFlow, TcpSender
from headroom.schemes.rohc.judge import Parameters
from headroom.schemes.rohc.judge.framework.findings import Remark

# What must come out; the last two depend on what the decompressor has answered since something came out last.
AFTER_NACK, UNLESS_NACK = "withheld after NACK", "delivered unless NACK"
UNLESS_STATIC_NACK = "delivered unless STATIC-NACK"
OUTCOMES = ("delivered", "withheld", "delivered or withheld", "anything", AFTER_NACK, UNLESS_NACK, UNLESS_STATIC_NACK)
NEGATIVE = ("NACK", "STATIC-NACK")
LOST = "lost"
AS_BEFORE, IF_WITHHELD = "as before ", " if withheld"
# Feedback of the profiles of RFC 3095, which has a mode, and of profile 0x0006.
V1_KIND = r"(?:any|FEEDBACK-1|(?:any|ACK|NACK|STATIC-NACK)\([UOR]\)(?: with CRC)?)"
TCP_KIND = r"(?:FEEDBACK-1|(?:any|ACK|NACK|STATIC-NACK)(?: with CRC)?)"
KIND = f"(?:{V1_KIND}|{TCP_KIND})"
ANSWERS = re.compile(rf"none|at most (\d+)|(some|each|only) ({KIND})")


@dataclass
class Step:
    """`count` link packets; `answers` describes the expected feedback, "" if none is expected."""

    what: str
    outcome: str
    answers: str
    first: int  # number of the first link packet
    count: int = 0
    cid: int = 0


@dataclass
class TimelineOutcome:
    """The outcome of a timeline: `complaints` about steps, `remarks` about feedback, the engine's document."""

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
    senders: dict[int, Sender | TcpSender] = field(default_factory=dict)
    sent: list[SentPacket] = field(default_factory=list)  # one for each link packet
    now_ns: int = 0

    @property
    def parameters(self) -> Parameters:
        return Parameters.of(self.channel)

    @property
    def is_tcp(self) -> bool:
        return self.flow.startswith("tcp-")

    def example(self) -> bytes:
        """A packet of the flow."""
        return TcpFlow.of(self.flow).build(bytes(PAYLOAD)) if self.is_tcp else Flow.of(self.flow).packet()

    def sender(self, cid: int) -> Sender | TcpSender:
        if cid not in self.senders:
            large = self.channel.get("cids") == "large"
            if self.is_tcp:
                self.senders[cid] = TcpSender(TcpFlow.of(self.flow, cid), cid, large)
            else:
                self.senders[cid] = Sender(Flow.of(self.flow, cid), cid, large, self.uncompressed)
        return self.senders[cid]

    def receive(self, count: int, what: str, outcome: str = "delivered", answers: str = "") -> None:
        """The next `count` packets.

        `what` is a packet type with, in this order and each of it optional: `damaged` (its CRC is wrong), `poisoned`
        (it is that of another sequence number) or `garbled` (both) before it, `without dynamic chain`, `of CID 0` (the
        base context of an IR-CR packet), `with mode U`, `for CID 3` after it; or `lost`. `outcome` is one of
        `OUTCOMES`; `answers` as in `judge_answers`.
        """
        pattern = (
            r"(?:(damaged|poisoned|garbled) )?(lost|[A-Za-z0-9_-]+?)( without dynamic chain)?"
            r"(?: of CID (\d+))?(?: with mode ([UOR0]))?(?: for CID (\d+))?"
        )
        match = re.fullmatch(pattern, what)
        if answers.startswith(AS_BEFORE) and not re.fullmatch(
            TCP_KIND if self.is_tcp else V1_KIND, answers.removeprefix(AS_BEFORE)
        ):
            raise UsageError(f"'{answers}' says nothing about answers; say such as `as before ACK(O)`.")
        if not match or outcome not in OUTCOMES:
            raise UsageError(
                f"'{what}', '{outcome}' is no step; say such as `UO-0`, `damaged UOR-2-ID`, "
                f"`IR with mode U for CID 3`, `lost`, and one of {', '.join(OUTCOMES)}."
            )
        spoilt, kind, bare, base, mode, cid = match.groups()
        sender = self.sender(int(cid or 0))
        self.steps.append(step := Step(what, outcome, answers, len(self.links), cid=sender.cid))
        for _ in range(count):
            if kind == LOST:
                sender.skip()
            else:
                if isinstance(sender, TcpSender):
                    link, original = self._tcp_packet(sender, kind, base, spoilt or "", bare or mode)
                    validated = sender.validated
                else:
                    link, original = _packet(sender, kind, mode, bare is None, spoilt or "")
                    validated = False
                self.links.append({"time_ns": self.now_ns, "channel": 0, "hex": link.hex()})
                due = outcome not in ("withheld", "anything")
                self.expected.append({"time_ns": self.now_ns, "channel": 0, "hex": original.hex()} if due else None)
                self.sent.append(SentPacket(sender.cid, kind, sender.last_sn, mode or "", validated))
                step.count += 1
            self.now_ns += self.interval_ns

    def _tcp_packet(
        self, sender: TcpSender, kind: str, base: str | None, spoilt: str, other: str | None
    ) -> tuple[bytes, bytes]:
        if spoilt not in ("", "damaged") or other:
            raise UsageError("Packets of TCP are right or damaged, and say no mode.")
        if base is None:
            return sender.packet(kind, wrong_crc=bool(spoilt))
        known = self.senders.get(int(base))
        context = known.context if isinstance(known, TcpSender) else None
        return sender.packet(kind, Base(int(base), context), bool(spoilt))

    def pause(self, seconds: float) -> None:
        """Lets time pass in which nothing is sent."""
        self.now_ns += round(seconds * 1e9)

    def tell(self, message: dict[str, Any]) -> None:
        """A control message to the decompressor before the next packet."""
        self.control.append({"before": len(self.links), "side": "decompressor", "message": message})

    def change(self, text: str, cid: int = 0) -> None:
        self.sender(cid).flow.change(text)

    def job(self, decompressor: dict[str, Any]) -> dict[str, Any]:
        return {
            "decompressor": decompressor,
            "source": {"packets": self.links},
            "expected": {"packets": self.expected},
            "control": self.control,
            "records": "all",
        }

    def play(
        self, implementation: Implementation, build: str, options: dict[str, Any] | None = None
    ) -> TimelineOutcome:
        """Sends all packets to a fresh decompressor, which gets these options too, and judges its output."""
        job = self.job(capabilities.adapter(implementation, self.channel, build, options))
        document = engine.run("replay", job, PATIENCE_S, build)
        promise(document)
        return self.judge(document)

    def judge(self, document: dict[str, Any]) -> TimelineOutcome:
        played = TimelineOutcome(document=document)
        records = {record["packet"]: record for record in document["records"] if "packet" in record}
        rules: NumberRules = (
            NoNumbers() if self.uncompressed else MasterSequenceNumbers() if self.is_tcp else SequenceNumbers()
        )
        heard: dict[int, set[str]] = {}  # by CID: negative feedback since something came out
        unanswered: list[str] = []
        for number, step in enumerate(self.steps, 1):
            mine = [records[n] for n in range(step.first, step.first + step.count)]
            where = f"step {number} ({step.count} x {step.what})"
            said = heard.setdefault(step.cid, set())
            played.complaints += [f"{where}: {sentence}" for sentence in _outcomes(_now(step.outcome, said), mine)]
            read: list[list[Feedback]] = []
            for record in mine:
                profile = self.senders[step.cid].profile
                elements = [bytes.fromhex(entry) for entry in record.get("feedback", ())]
                if isinstance(rules, MasterSequenceNumbers):
                    reading = feedback.read_about_tcp(elements, self.parameters, rules.known)
                else:
                    reading = feedback.read(elements, self.parameters, profile)
                came_out = record["verdict"] in ("identical", "delivered") or step.outcome == "anything"
                played.remarks += reading.remarks
                played.remarks += rules.remarks(self.sent[record["packet"]], came_out, reading.read)
                if came_out:
                    said.clear()
                said |= {feedback.acktype for feedback in reading.read if feedback.acktype in NEGATIVE}
                read.append(reading.read)
            played.answers.append([feedback for several in read for feedback in several])
            if step.answers.startswith(AS_BEFORE):
                played.complaints += [f"{where}: {text}" for text in self._as_before(number, step.answers, played)]
            elif step.answers and not (step.answers.endswith(IF_WITHHELD) and _have_come_out(mine)):
                expected = step.answers.removesuffix(IF_WITHHELD)
                wrong = [f"{where}: {sentence}" for sentence in judge_answers(expected, read)]
                played.complaints += wrong
                unanswered += wrong
        if more := besides.too_many(document, self._came_out(records)):
            played.complaints.append(more)
        if unanswered and not any(played.answers):
            cause = f"the decompressor gives no feedback at all; {unanswered[0]}"
            played.complaints = [cause, *(complaint for complaint in played.complaints if complaint not in unanswered)]
        return played

    def _came_out(self, records: Mapping[int, dict[str, Any]]) -> list[bytes | None]:
        """Returns the packet that each link packet gave; None if it gave none, or another than the original."""
        return [
            bytes.fromhex(one["hex"]) if one is not None and records[n]["verdict"] == "identical" else None
            for n, one in enumerate(self.expected)
        ]

    def _as_before(self, number: int, expected: str, played: TimelineOutcome) -> list[str]:
        """The fault of a decompressor that sent optional feedback once and does not send it any more (RFC 3095,
        5.4.2.2).
        """
        kind = expected.removeprefix(AS_BEFORE)
        earlier = [n for n, step in enumerate(self.steps[: number - 1]) if step.answers == expected]
        then = any(_has_any(kind, played.answers[n]) for n in earlier)
        now = _has_any(kind, played.answers[-1])
        return (
            [f"no {kind} comes any more, though such packets were answered with it before"] if then and not now else []
        )


def _packet(sender: Sender, kind: str, mode: str | None, dynamic: bool, spoilt: str) -> tuple[bytes, bytes]:
    other = spoilt in ("poisoned", "garbled")
    if other:
        _jump(sender, 5)
    pair = sender.packet(kind, mode, dynamic, wrong_crc=spoilt in ("damaged", "garbled"))
    if other:
        _jump(sender, -5)
    return pair


def _jump(sender: Sender, packets: int) -> None:
    """Moves a flow ahead, or back: its next packet is valid but another, a residual error that no CRC notices."""
    flow = sender.flow
    flow.sn = (flow.sn + packets) & flow.sn_mask
    flow.ts = (flow.ts + packets * flow.step) & 0xFFFFFFFF
    for ip in flow.ips:
        if ip.behaviour == "sequential":
            ip.identification = (ip.identification + packets) & 0xFFFF


def _now(outcome: str, said: Collection[str]) -> str:
    """The outcome that is due after such feedback: a NACK says that context damage is assumed (RFC 6846, 5.3.1.5), a
    STATIC-NACK that the static part is wanted; how many failures lead there is for the decompressor to say."""
    if outcome == AFTER_NACK:
        return "withheld" if said else "delivered or withheld"
    if outcome == UNLESS_NACK:
        return "delivered or withheld" if said else "delivered"
    if outcome == UNLESS_STATIC_NACK:
        return "delivered or withheld" if "STATIC-NACK" in said else "delivered"
    return outcome


def _have_come_out(records: Sequence[dict[str, Any]]) -> bool:
    return any(record["verdict"] == "identical" for record in records)


def _outcomes(outcome: str, records: Sequence[dict[str, Any]]) -> list[str]:
    """A sentence about the first packet that came out, or did not, other than `outcome` allows; [] if none."""
    allowed = {
        "delivered": ("identical",),
        "withheld": ("withheld", "not_delivered"),
        "delivered or withheld": ("identical", "not_delivered"),
        "anything": ("withheld", "unexpected", "identical", "not_delivered", "mismatched"),
    }[outcome]
    for n, record in enumerate(records):
        if record["verdict"] not in allowed:
            statuses = ", ".join(arrival["status"] for arrival in record.get("decompressor", ())) or "nothing"
            what = {
                "not_delivered": "is not delivered",
                "unexpected": "is delivered, but nothing may come out",
                "identical": "is delivered, but nothing may come out",
                "mismatched": "comes out with other octets",
            }.get(record["verdict"], record["verdict"])
            return [f"{nth('packet', n)} of {len(records)} {what} ({statuses})"]
    return []


def judge_answers(expected: str, read: Sequence[Sequence[Feedback]]) -> list[str]:
    """Compares the answers to the packets of a step with those that the case expects. Returns one sentence for each
    difference.

    `expected` has parts, joined by semicolons.

    - `none`: no answer. `some ACK(O) with CRC`: at least one such answer; `each ACK(U) with CRC`: one for every packet;
      `only NACK(O)`: no other answer; `at most 8`: so many answers in all.
    - `any` stands for all feedback, `any(U)` for all feedback with that mode.
    - `as before ACK(O)` (required if an earlier step with this part had the answer) and ` if withheld` at the end
      (required if no packet of the step comes out) are handled by `Timeline.judge`.
    """
    sentences = []
    everything = [feedback.text_of(element) for several in read for element in several]
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
            there = any(_is_of_kind(kind, text) for text in everything)
            wrong = "" if there else f"no {kind} comes; what comes: {_list(everything)}"
        elif quantity == "only":
            other = [text for text in everything if not _is_of_kind(kind, text)]
            wrong = f"{other[0]} comes, but only {kind} may" if other else ""
        else:
            first = next((n for n, feedbacks in enumerate(read) if not _has_any(kind, feedbacks)), None)
            comes = f"is not answered with {kind}; what comes: {_list(everything)}"
            wrong = f"{nth('packet', first)} {comes}" if first is not None else ""
        sentences += [wrong] if wrong else []
    return sentences


def _has_any(kind: str, several: Sequence[Feedback]) -> bool:
    return any(_is_of_kind(kind, feedback.text_of(element)) for element in several)


def _is_of_kind(kind: str, text: str) -> bool:
    """True if feedback is of a kind. That with CRC is one without, too; FEEDBACK-1 is an ACK without mode information,
    which suffices wherever no CRC is asked for (RFC 3095, 5.7.6.1)."""
    if kind.startswith("any") and kind != "any":
        return any(_is_of_kind(kind.replace("any", literal), text) for literal in ("ACK", "NACK", "STATIC-NACK"))
    if text == "FEEDBACK-1" and kind in ("ACK", "ACK(U)", "ACK(O)", "ACK(R)"):
        return True
    return kind == "any" or text == kind or text.startswith((kind + " ", kind + "("))


def _list(everything: Sequence[str]) -> str:
    return ", ".join(everything[:4]) + (" …" if len(everything) > 4 else "") if everything else "nothing"
