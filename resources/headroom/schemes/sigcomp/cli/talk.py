# SPDX-License-Identifier: Apache-2.0
"""`./headroom talk`: a SIP sequence between two SigComp endpoints, message by message."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from headroom.core.console import examples, print_json, print_table, say, warn_once
from headroom.core.errors import UsageError
from headroom.core.options import assignments
from headroom.core.paths import DEFAULT_BUILD

if TYPE_CHECKING:
    from headroom.core.implementations import Implementation
    from headroom.schemes.sigcomp.messages import Conversation, ConversationConfig, SentMessage

EPILOG = examples(
    "./headroom talk 3gpp-video-call mechanism=dynamic",
    "./headroom talk basic-voice-call --called yours --link link.pcapng loss=0.1",
    "./headroom talk 3gpp-registration transport=tcp acknowledgement=transport state_memory_size=8192",
)


def add_to(app: typer.Typer) -> None:
    app.command(
        "talk",
        help="Play a SIP sequence between two SigComp endpoints and show the outcome of each message, and its octets "
        "before and after. Status 1: a message came out different, or was lost, but not on the link.",
        epilog=EPILOG,
    )(talk_command)


def talk_command(
    sequence: Annotated[str, typer.Argument(help="A sequence of traffic-profiles/sip, or a file like them (.txt).")],
    more: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[name=value]...",
            help="loss, ber, duplicate (shares, both ways), drop (the caller's messages "
            "from 0, such as 0,3), nacks (yes, no); what both offer: decompression_memory_size, state_memory_size, "
            "cycles_per_bit, version; people=others for a call of other people; and options of the implementations: "
            "mechanism, algorithm, acknowledgement … (implementations/README.md); a value that begins with { or [ is "
            "JSON.",
        ),
    ] = None,
    caller: Annotated[str, typer.Option(help="Implementation of the endpoint that calls.")] = "reference",
    called: Annotated[str, typer.Option(help="Implementation of the endpoint that is called.")] = "reference",
    transport: Annotated[
        str | None, typer.Option(help="udp, where a message on the link is at most a datagram, or tcp.")
    ] = None,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all random numbers.")] = 1,
    repeats: Annotated[int, typer.Option(min=0, max=1000, help="Times to play it again, with each call timed.")] = 0,
    link: Annotated[Path | None, typer.Option(help="Write what was on the link (pcapng).")] = None,
    build: Annotated[str, typer.Option(help="Build to use.")] = DEFAULT_BUILD,
    json: Annotated[bool, typer.Option("--json", help="Print the engine's document.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the job; run nothing.")] = False,
) -> None:
    from headroom.core import implementations
    from headroom.core.machine import build as builds
    from headroom.core.run.run import Run
    from headroom.core.settings import Settings
    from headroom.schemes.sigcomp import endpoints, messages
    from headroom.schemes.sigcomp.conversation import conversation

    given = {} if transport is None else {"transport": transport}
    named = {**assignments(more or (), "mechanism=dynamic", given), **given}
    run = Run.of(Settings(compressor=caller, decompressor=called, seed=seed, build=build))
    config = conversation(sequence, named, run)
    _require_file(link)
    config = replace(config, repeats=repeats, capture=link and link.resolve())
    if not dry_run:
        builds.ensure(build, implementations.ninja_targets(warn=warn_once), say=say)
    for name, (_, implementation) in zip((caller, called), run.sides, strict=True):
        implementations.require_adapter(name, build)
        if reason := endpoints.lacking(endpoints.Endpoint(implementation, config.transport, config.offer)):
            raise UsageError(f"{reason}.")
    if endpoints.wire(run.compressor) != endpoints.wire(run.decompressor):
        raise UsageError(f"{caller} and {called} do not have the same on the link, so they cannot talk to each other.")
    _require_options(config)
    if dry_run:
        print_json(messages.job(config))
        return
    result = messages.run(config)
    print_json(result.document) if json else _print(result, sequence)
    failures = result.failures()
    for sentence in failures:
        say(sentence)
    if long := result.too_long():
        raise UsageError(" ".join(long))
    if failures:
        raise typer.Exit(1)


def _require_file(link: Path | None) -> None:
    """Raises UsageError if the link cannot be written to a file of this name."""
    if link and not link.resolve().parent.is_dir():
        raise UsageError(f"--link {link}: there is no folder {link.resolve().parent}; make it, or name another.")
    if link and link.is_dir():
        raise UsageError(f"--link {link} is a folder; name a file.")


def _require_options(config: ConversationConfig) -> None:
    """Raises UsageError for an option that neither of the two has: most likely its name is wrong."""
    from headroom.schemes.sigcomp import endpoints

    ends = dict.fromkeys((config.a, config.b))
    names = [implementation.name for implementation in ends]
    for key, value in config.options.items():
        if not any(endpoints.has_option(implementation, key, value, config.build) for implementation in ends):
            choices = [choice for implementation in ends for choice in _choices(implementation, key, config.build)]
            known = f" It has {', '.join(dict.fromkeys(choices))}." if choices else ""
            neither = " nor ".join(names)
            raise UsageError(
                f"{'Neither ' if len(names) > 1 else ''}{neither} {'has' if len(names) > 1 else 'does not have'} the "
                f"option {key}={value}.{known}"
            )


def _choices(implementation: Implementation, key: str, build: str) -> list[str]:
    from headroom.schemes.sigcomp import endpoints

    scheme = endpoints.described(implementation, build)
    return [str(choice) for choice in scheme.get("choices", {}).get(key, ())]


def _print(conversation: Conversation, sequence: str) -> None:
    from headroom.schemes.sigcomp.judge import tshark
    from headroom.schemes.sigcomp.sip import sequences

    timed = conversation.config.repeats > 0
    columns: list[str | tuple[str, str]] = [("", "right"), "message", ("octets", "right"), ("on the link", "right")]
    columns += [("%", "right"), ("cycles", "right"), "verdict"]
    columns += [("compress µs", "right"), ("decompress µs", "right")] if timed else []
    printed = sequences.load(sequences.path_of(sequence))
    rows = []
    for number, (sent_message, message) in enumerate(zip(conversation.messages, printed, strict=True), 1):
        way = "→" if sent_message.is_from_a else "←"
        row = [
            number,
            f"{way} {message.name}",
            sent_message.length,
            sent_message.compressed_length,
            None
            if sent_message.compressed_length is None
            else f"{100 * sent_message.compressed_length / max(1, sent_message.length):.0f}",
            sent_message.cycles,
            _verdict(sent_message),
        ]
        times = [
            None if ns is None else f"{ns / 1000:.1f}" for ns in (sent_message.compress_ns, sent_message.decompress_ns)
        ]
        rows.append(row + (times if timed else []))
    print_table("", columns, rows)
    nacks = f", {conversation.nack_octets} octets of NACKs" if conversation.nack_octets else ""
    share = 100 * conversation.sent_octets / max(1, conversation.plain_octets)
    say(f"{conversation.plain_octets} octets became {conversation.sent_octets} ({share:.1f} %){nacks}.")
    if conversation.config.capture is not None:
        # tshark keeps the states that messages create, but not what a decompressor adds to them (RFC 3321, 5.2).
        shared = conversation.config.options.get("mechanism") == "shared"
        but = ", except where they rest on shared state, which it does not have" if shared else ""
        say(f"tshark shows the messages{but}: {tshark.command(conversation.config.capture)}")


def _verdict(message: SentMessage) -> str:
    signs = ["plain"] if message.is_plain else ["with bytecode"] if message.has_bytecode else []
    return ", ".join([message.verdict.replace("_", " "), *([message.reason] if message.reason else []), *signs])
