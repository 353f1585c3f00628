# SPDX-License-Identifier: Apache-2.0
"""Keywords that send SIP sequences through two SigComp endpoints, and that say what must be true of it."""

from dataclasses import replace

from robot.api import SkipExecution
from robot.api.deco import keyword

from headroom.core.capabilities import Inconclusive
from headroom.core.results import collector
from headroom.core.text import nth, some
from headroom.keywords import verdicts
from headroom.keywords.artefacts import artefact_folder
from headroom.keywords.base import current_run, library
from headroom.schemes.sigcomp import endpoints, messages, metrics
from headroom.schemes.sigcomp.conversation import conversation
from headroom.schemes.sigcomp.endpoints import Endpoint


@library
class MessageKeywords:
    """One conversation at a time: `Send Sequence` runs it, the keywords that follow judge it.

    Named arguments of `Send Sequence`, all optional: mechanism, algorithm, acknowledgement and whatever else the
    implementation's `options` know; transport (udp or tcp); loss, ber and duplicate (probabilities, of both
    directions), drop (messages of A, such as 0,3), nacks (no: they are dropped); decompression_memory_size,
    state_memory_size, cycles_per_bit and version (what both offer);
    people (printed, or others: the generated calls of the run's seed).
    """

    def __init__(self) -> None:
        self.last: messages.Conversation | None = None

    @keyword("Send Sequence")
    def send(self, sequence: str, **named: str) -> None:
        """A SIP sequence of traffic-profiles/sip, from the endpoint that calls to the one that is called and back."""
        self.last = None
        run = current_run()
        config = conversation(sequence, named, run)
        for role, implementation in run.sides:
            if reason := endpoints.lacking(Endpoint(implementation, config.transport, config.offer)):
                raise SkipExecution(f"{reason}.")
            verdicts.note(role, implementation, config.build)
        self.last = messages.run(config)
        _note(self.last, sequence)
        if self.last.promise_broken:
            raise AssertionError(self.last.promise_broken)

    @property
    def done(self) -> messages.Conversation:
        if self.last is None:
            raise RuntimeError("Nothing has been sent yet: this keyword comes after `Send Sequence`.")
        return self.last

    @keyword("Every Message Should Come Back As It Was")
    def every_message_identical(self) -> None:
        wrong = [
            f"{nth('message', number)} of {message.length} octets: {message.verdict.replace('_', ' ')} "
            f"{message.reason}".rstrip()
            for number, message in enumerate(self.done.messages)
            if message.verdict != "identical"
        ]
        self._expect(not wrong, some(wrong))

    @keyword("What Arrives Should Come Back As It Was")
    def what_arrives_identical(self) -> None:
        """The link loses messages. Every message that arrives comes out unchanged, except those that refer to state of
        a lost message. In both directions messages are compressed and come out."""
        result = self.done
        if not (lost := result.lost()):
            raise Inconclusive("The link lost no message, so the case shows nothing: choose another seed with --seed.")
        collector.current().metric(metrics.MESSAGES_LOST, lost)
        self._expect(not (wrong := result.failures()), some(wrong))

    @keyword("Message ${number} Should Come Back As It Was")
    def message_identical(self, number: int) -> None:
        index = int(number) - 1
        message = self.done.messages[index]
        self._expect(
            message.verdict == "identical", f"{nth('message', index)}: {message.verdict} {message.reason}".rstrip()
        )

    @keyword("Messages Should Take Less Than ${share} % Of Their Octets")
    def share_below(self, share: float) -> None:
        got = 100.0 * self.done.sent_octets / self.done.plain_octets
        self._expect(got < float(share), f"they took {got:.1f} %")

    def _expect(self, met: bool, otherwise: str) -> None:
        if met:
            return
        if (folder := artefact_folder()) is not None:
            path = folder / "link.pcapng"
            messages.run(replace(self.done.config, capture=path))
            collector.current().files.append((path, "capture: link"))
        raise AssertionError(otherwise[:1].upper() + otherwise[1:])


def _note(result: messages.Conversation, sequence: str) -> None:
    """Leaves the messages and their outcomes for the result record."""
    current = collector.current()
    current.parameters |= {
        "kind": "messages",
        "sequence": sequence,
        "transport": result.config.transport,
        "options": result.config.options,
        "link": result.config.a_to_b,
    }
    current.metric(metrics.MESSAGES, len(result.messages))
    current.metric(metrics.MESSAGES_IDENTICAL, result.count("identical"))
    current.metric(metrics.UNCOMPRESSED_OCTETS, result.plain_octets)
    current.metric(metrics.SENT_OCTETS, result.sent_octets)
