# SPDX-License-Identifier: Apache-2.0
"""`./headroom render` and `./headroom replay`: writes or sends one profile or capture."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headroom.cli.options import with_options
from headroom.core.console import examples, print_json, print_table, say, warn_once
from headroom.core.contract import Scheme
from headroom.core.engine_result import EngineFailure
from headroom.core.errors import UsageError
from headroom.core.options import DRY_RUN, JSON, Option, assignments, flag, number, seed_of
from headroom.core.paths import DEFAULT_BUILD
from headroom.core.scheme_registry import all_schemes

if TYPE_CHECKING:
    from headroom.core.replay import Replay, ReplayConfig

RENDER = examples(
    "./headroom render voip-amr-nb-ipv6 -o call.pcap --packets 3000",
    "./headroom render voip-g711-ipv4 -o ten.pcap --flows 10 --seed 7",
)
REPLAY = examples(
    "./headroom replay voip-amr-nb-ipv6 --ber 0.001 --mode O",
    "./headroom replay call.pcap --link link.pcapng --decompressor none",
    "./headroom replay voip-mixed --flows 20 mode=O burst_loss=0.02:0.5:1 reorder=0.05 depth=3",
)


def _share(name: str) -> Callable[[Any], float]:
    return number(name, 0, 1, "")


def _of_schemes() -> list[Option]:
    """The options of schemes, which may share one. The help says whose they are."""
    options: dict[str, Option] = {}
    titles: dict[str, list[str]] = {}
    for scheme in REPLAYED.values():
        for option in scheme.replay_options:
            options.setdefault(option.name, option)
            titles.setdefault(option.name, []).append(scheme.title)
    return [replace(option, help=f"{' and '.join(titles[name])}: {option.help}") for name, option in options.items()]


MOST_PACKETS = 20_000_000  # kMostSourcePackets of the engine
REPLAYED = {name: scheme for name, scheme in all_schemes().items() if scheme.replay}
USUAL = " or ".join(name for name, scheme in REPLAYED.items() if scheme.usual)
OPTIONS = (
    Option(
        "scheme",
        None,
        str,
        f"The scheme to replay: {', '.join(REPLAYED)}; when left out, {USUAL}, or the first that the implementations "
        "declare.",
    ),
    Option("compressor", "reference", str, "An implementation, or none if the source already holds link packets."),
    Option("decompressor", "reference", str, "An implementation, or none to end at the link."),
    *_of_schemes(),
    Option("flows", 1, number("flows", 1, 2**31, "flows", int), "Number of flows of the profile.", int),
    Option("packets", 1000, number("packets", 1, MOST_PACKETS, "packets", int), "Number of packets in total.", int),
    Option("carrier", None, str, "A scheme that carries the link packets; its arguments are carrier.NAME=VALUE."),
    Option("loss", 0.0, _share("loss"), "Probability that the link loses a packet.", float),
    Option("ber", 0.0, _share("ber"), "Bit error rate of the link.", float),
    Option("seed", 1, seed_of, "Seed of all random numbers.", int),
    Option("link", None, Path, "Write the link packets (pcapng; see encapsulation).", Path),
    Option("restored", None, Path, "Write the restored packets (pcapng).", Path),
    Option("build", DEFAULT_BUILD, str, "Build to use."),
    replace(JSON, help="Print the engine's document as JSON."),
    replace(DRY_RUN, help="Print the job; run nothing."),
)


def add_to(app: typer.Typer) -> None:
    app.command("render", help="Write a traffic profile as a capture.", epilog=RENDER)(render_command)
    app.command("replay", help="Send a profile or capture through compressor, link and decompressor.", epilog=REPLAY)(
        with_options(replay_command, OPTIONS)
    )


def render_command(
    profile: Annotated[str, typer.Argument(help="Traffic profile (see list profiles).")],
    output: Annotated[Path, typer.Option("--output", "-o", help="Capture to write (pcap).")],
    flows: Annotated[int, typer.Option(min=1, help="Number of flows.")] = 1,
    packets: Annotated[int, typer.Option(min=1, help="Number of packets in total.")] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Seed of all random numbers.")] = 1,
    build: Annotated[str, typer.Option(help="Build of the engine.")] = DEFAULT_BUILD,
    json: Annotated[bool, typer.Option("--json", help="Print the engine's document as JSON.")] = False,
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
    with profiles.located_by_line(profile, "/profile"):
        document = engine.run("render", job, timeout_s=600, build=build)
    print_json(document) if json else print(output)


def replay_command(
    explicit: dict[str, Any],
    source: Annotated[str, typer.Argument(help="Traffic profile, or a capture (pcap, pcapng).")],
    more: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="[name=value]...",
            help="Any other argument of a replay in a suite: reorder, depth, duplicate, delay, jitter, burst_loss, "
            "feedback_loss, encapsulation, mrru, largest_packet, compressor_options … (resources/keywords/README.md).",
        ),
    ] = None,
) -> None:
    from headroom.core import implementations, replay, replay_options
    from headroom.core.run.run import Run
    from headroom.core.settings import Settings

    values = {option.name: option.value(explicit.get(option.name)) for option in OPTIONS}
    scheme = _scheme(values["scheme"]) if values["scheme"] else _declared(values["compressor"], values["decompressor"])
    seed, build = values["seed"], values["build"]
    named = _named(values, explicit, scheme, more or ())
    config = replay_options.config_of(scheme, source, named, Run.of(Settings(seed=seed, build=build)))
    if not (config.compressor or config.decompressor):
        raise UsageError("Name a compressor or a decompressor: without both there is nothing to replay.")
    roles: tuple[implementations.Role, ...] = ("compressor", "decompressor")
    for part in (config, config.carrier.config) if config.carrier else (config,):
        for role in roles:
            if adapter := getattr(part, role):
                implementations.require_adapter(named[role] if part is config else adapter.name, build)
                if reason := adapter.lacks(role, part.scheme):
                    raise UsageError(f"{reason}, so it cannot be replayed.")
    files = (("link", values["link"]), ("decompressed", values["restored"]))
    config.outputs = {name: path.resolve() for name, path in files if path}
    job = replay.job(config)
    if values["dry_run"]:
        print_json(job)
        return
    _build(build)
    try:
        result = replay.run(config)
    except EngineFailure as failure:
        raise (_refusal_of_options(failure, config, named) or failure) from failure
    _show(result, scheme, values["json"])


def _declared(compressor: str, decompressor: str) -> Scheme:
    """The first scheme with replays that both implementations declare, each in its role; a usual scheme is preferred.
    Raises UsageError.
    """
    from headroom.core import implementations

    declared = []
    for role, name in (("compressor", compressor), ("decompressor", decompressor)):
        if name == "none":
            continue
        implementation = implementations.find(name)
        declared.append([entry["scheme"] for entry in implementation.capabilities if role in entry["roles"]])
    common = [name for name in (declared[0] if declared else REPLAYED) if all(name in names for names in declared)]
    replayed = sorted((name for name in common if name in REPLAYED), key=lambda name: not REPLAYED[name].usual)
    if not replayed:
        raise UsageError(
            f"{compressor} and {decompressor} declare no common scheme with replays; choose one by --scheme: "
            f"{', '.join(REPLAYED)}."
        )
    return REPLAYED[replayed[0]]


def _refusal_of_options(failure: EngineFailure, config: ReplayConfig, named: dict[str, str]) -> UsageError | None:
    """The error of an adapter that refuses options of the command line, with its name, the option and the reason; else
    None.
    """
    role = failure.where.removeprefix("/").removesuffix("/config")
    _, _, why = failure.message.partition(f"refuses the configuration of its {role}: ")
    if not (why and f"{role}_options" in named):
        return None
    if not any(key in why for key in ("options", *getattr(config, f"{role}_options"))):
        return None  # the refusal concerns another part of the configuration
    name = getattr(config, role).name
    return UsageError(f"{name} refuses {role}_options={named[f'{role}_options']}: {why.rstrip('.')}.")


def _named(values: dict[str, Any], explicit: dict[str, Any], scheme: Scheme, more: Sequence[str]) -> dict[str, str]:
    """The named arguments of the replay: options, and arguments written as name=value. Raises UsageError if one is
    given twice or belongs to another scheme.
    """
    theirs = [option.name for option in scheme.replay_options]
    for other in REPLAYED.values():
        if foreign := [
            option.name for option in other.replay_options if option.name in explicit and option.name not in theirs
        ]:
            owners = [
                option.title for option in REPLAYED.values() if foreign[0] in (of.name for of in option.replay_options)
            ]
            raise UsageError(
                f"{flag(foreign[0])} is an option of {' and '.join(owners)}; {scheme.title} has no such option."
            )
    named = {name: str(values[name]) for name in ("compressor", "decompressor", *theirs, "flows", "packets")}
    named |= {name: str(values[name]) for name in ("carrier", "loss", "ber") if values[name]}
    if values["ber"]:
        named["header_errors"] = "deliver"
    return named | assignments(more, "reorder=0.05", explicit)


def _scheme(name: str) -> Scheme:
    """The scheme of a name. Raises UsageError if it does not exist or has no replays."""
    if name not in REPLAYED:
        raise UsageError(f"--scheme must be one of {', '.join(REPLAYED)}, not '{name}'.")
    return REPLAYED[name]


def _show(result: Replay, scheme: Scheme, json: bool) -> None:
    """Prints the result of a replay. Exits with 1 if something is wrong."""
    if json:
        print_json(result.document)
    else:
        print_table("", ["what", ("count", "right")], result.summary())
    assert scheme.replay is not None
    words = scheme.replay()
    for remark in [*result.remarks_on_capture(), *words.remarks(result)]:
        say(remark)
    limit = words.limit(result)
    failures = result.failures(result.without_room if limit else 0)
    if not failures and not limit and (sentence := result.nothing_came_out()):
        failures = [sentence]
    for sentence in failures:
        say(sentence)
    if limit and not failures:
        raise UsageError(limit)
    if limit:
        say(limit)
    if failures:
        raise typer.Exit(1)


def _build(build: str) -> Any:
    from headroom.core import implementations
    from headroom.core.machine import build as builds

    return builds.ensure(build, implementations.ninja_targets(warn=warn_once), say=say)
