# SPDX-License-Identifier: Apache-2.0
"""`./headroom render` and `./headroom replay`: one profile or capture, by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from headroom.core.console import examples, print_json, print_table, say, warn_once
from headroom.core.errors import UsageError
from headroom.core.paths import DEFAULT_BUILD

RENDER = examples(
    "./headroom render voip-amr-nb-ipv6 -o call.pcap --packets 3000",
    "./headroom render voip-g711-ipv4 -o ten.pcap --flows 10 --seed 7",
)
REPLAY = examples(
    "./headroom replay voip-amr-nb-ipv6 --ber 0.001 --mode O",
    "./headroom replay call.pcap --link link.pcapng --decompressor none",
    "./headroom replay voip-mixed --flows 20 mode=O burst_loss=0.02:0.5:1 reorder=0.05 depth=3",
)


def add_to(app: typer.Typer) -> None:
    app.command("render", help="Write a traffic profile as a capture.", epilog=RENDER)(render_command)
    app.command("replay", help="Send a profile or capture through compressor, link and decompressor.", epilog=REPLAY)(
        replay_command
    )


def render_command(
    profile: Annotated[str, typer.Argument(help="Traffic profile (see list profiles).")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Capture to write (pcap).")],
    flows: Annotated[int, typer.Option(min=1)] = 1,
    packets: Annotated[int, typer.Option(min=1, help="Packets in all.")] = 1000,
    seed: Annotated[int, typer.Option(min=0)] = 1,
    build: Annotated[str, typer.Option(help="Build of the engine.")] = DEFAULT_BUILD,
    json: Annotated[bool, typer.Option("--json", help="Print the engine's document.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Check the profile; write nothing.")] = False,
) -> None:
    from headroom.core import engine, profiles

    job = {
        "profile": profiles.load(profile),
        "flows": flows,
        "packets": packets,
        "seed": seed,
        "output": str(output.resolve()),
    }
    if dry_run:
        print_json(job)
        return
    _build(build)
    with profiles.told_by_line(profile, "/profile"):
        document = engine.run("render", job, timeout_s=600, build=build)
    print_json(document) if json else print(output)


def replay_command(
    context: typer.Context,
    source: Annotated[str, typer.Argument(help="Traffic profile, or a capture (pcap, pcapng).")],
    more: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[name=value]...",
            help="Anything else that a suite may ask of a replay: reorder, depth, duplicate, delay, jitter, "
            "burst_loss, feedback_loss, encapsulation, mrru, largest_packet, compressor_options … "
            "(resources/keywords/README.md).",
        ),
    ] = None,
    compressor: Annotated[
        str, typer.Option(help="An implementation, or none: the source is what is on the link.")
    ] = "reference",
    decompressor: Annotated[str, typer.Option(help="An implementation, or none: it ends at the link.")] = "reference",
    mode: Annotated[str, typer.Option(help="U, O or R.")] = "U",
    cids: Annotated[str, typer.Option(help="small or large.")] = "small",
    max_cid: Annotated[int, typer.Option(min=0, max=16383)] = 15,
    flows: Annotated[int, typer.Option(min=1)] = 1,
    packets: Annotated[int, typer.Option(min=1)] = 1000,
    loss: Annotated[float, typer.Option(min=0, max=1, help="Probability that the link loses a packet.")] = 0.0,
    ber: Annotated[float, typer.Option(min=0, max=1, help="Bit error rate of the link.")] = 0.0,
    seed: Annotated[int, typer.Option(min=0)] = 1,
    link: Annotated[
        Path | None,
        typer.Option(help="Write what was on the link (pcapng; Ethernet type 0x22F1, or with encapsulation=ppp PPP)."),
    ] = None,
    restored: Annotated[Path | None, typer.Option(help="Write what came out (pcapng).")] = None,
    build: Annotated[str, typer.Option(help="Build to use.")] = DEFAULT_BUILD,
    json: Annotated[bool, typer.Option("--json", help="Print the engine's document.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Print the job; run nothing.")] = False,
) -> None:
    from headroom.core import implementations, replay, replay_options, scheme
    from headroom.core.settings import Settings

    if mode not in ("U", "O", "R"):
        raise UsageError(f"The mode must be U, O or R, not '{mode}'.")
    named = {"compressor": compressor, "decompressor": decompressor}
    named |= {"mode": mode, "cids": cids, "max_cid": str(max_cid), "flows": str(flows), "packets": str(packets)}
    named |= {name: str(share) for name, share in (("loss", loss), ("ber", ber)) if share}
    if ber:
        named["header_errors"] = "deliver"
    told = _options_given(context)
    for word in more or ():
        name, equals, value = word.partition("=")
        if not equals:
            raise UsageError(f"'{word}' is not of the form name=value, such as reorder=0.05.")
        if name in told:
            raise UsageError(f"{name} is said twice: '{word}' and elsewhere on the command line; say it once.")
        told.add(name)
        named[name] = value
    wanted = replay_options.wanted(source, named, Settings(seed=seed, build=build))
    if not (wanted.compressor or wanted.decompressor):
        raise UsageError("Without a compressor and without a decompressor there is nothing to replay; name one.")
    roles: tuple[implementations.Role, ...] = ("compressor", "decompressor")
    for role in roles:
        if name := getattr(wanted, role):
            found = implementations.require_adapter(name, build)
            if reason := found.lacks(role, scheme.default().name):
                raise UsageError(f"{reason}, so it cannot be replayed.")
    wanted.outputs = {name: path.resolve() for name, path in (("link", link), ("decompressed", restored)) if path}
    job = replay.job(wanted)
    if dry_run:
        print_json(job)
        return
    _build(build)
    done = replay.run(wanted)
    if json:
        print_json(done.document)
    else:
        print_table("", ["what", ("count", "right")], done.summary())
    for remark in filter(None, [done.crowded()]):
        say(remark)
    failures = done.failures() or [sentence for sentence in [done.nothing_came_out()] if sentence]
    for sentence in failures:
        say(sentence)
    if failures:
        raise typer.Exit(1)


def _options_given(context: typer.Context) -> set[str]:
    """Options that stand on the command line, as opposed to those that have their default."""
    sources = {name: context.get_parameter_source(name) for name in context.params}
    return {name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"}


def _build(build: str) -> Any:
    from headroom.core import implementations
    from headroom.core.machine import build as builds

    return builds.ensure(build, implementations.ninja_targets(warn=warn_once), say=say)
