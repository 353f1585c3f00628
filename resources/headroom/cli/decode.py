# SPDX-License-Identifier: Apache-2.0
"""`./headroom decode`: prints a capture packet by packet, as our judges and tshark read it, side by side."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from headroom.core.captures import formats
from headroom.core.console import examples, plain, print_json, say, styled, warn
from headroom.core.contract import DecodeOption
from headroom.core.errors import EXIT_FAILED, UsageError
from headroom.core.scheme_registry import all_schemes

if TYPE_CHECKING:
    from headroom.decode.run import Capture, DecodedPacket

EPILOG = examples(
    "./headroom decode link.pcapng",
    "./headroom decode link.pcapng --packets 10-20 --fields",
    "./headroom decode ppp.pcap --profiles 0x0001,0x0002 --cid large --max-cid 300",
    "./headroom decode n3.pcap --only-differing",
    "./headroom decode radio.pcap --link-type 150=pdcp-nr:18",
    "./headroom decode f1-u.pcap --in-tunnels pdcp-nr:18",
    "./headroom decode mux.ts",
    "./headroom decode link.pcapng --restored restored.pcap",
    "./headroom decode link.pcapng --json | jq '.packets[].judge.title'",
)
AT_ONCE = 40  # packets in one piece of the table, which is printed piece by piece
PIPED_WIDTH = 160  # characters, if the width of the output is unknown
VERDICT_STYLES = {"agree": "green", "differ": "red", "silent": "dim"}


def add_to(app: typer.Typer) -> None:
    schemes = [scheme for scheme in all_schemes().values() if scheme.dissector]
    app.command(
        "decode",
        help="Print a capture packet by packet, as the judges of this project "
        f"({', '.join(scheme.title for scheme in schemes)}) and as tshark read it, side by side. Captures: pcap and "
        f"pcapng with {', '.join(f'{scheme.title} ({scheme.framing})' for scheme in schemes)}, IPv4 and IPv6 with UDP "
        "and RTP, VLAN tags, PPP and PPPoE, SLIP, PDCP after Wireshark's tags, IP fragments; captures of a link "
        "also show what the link did to each packet. Files of TS packets (.ts, .m2ts). Where tshark cannot be right "
        "decode says so instead of claiming a difference. Status 1: they differ somewhere, or the file is damaged.",
        epilog=EPILOG,
    )(with_options(decode_command, [option for scheme in schemes for option in scheme.decode_options]))


def with_options(command: Callable[..., None], options: list[DecodeOption]) -> Callable[..., None]:
    """Adds the options of the schemes after the first two parameters of a command, which gets their values as
    `words`.
    """
    names = [option.name for option in options]

    def called(**given: Any) -> None:
        words = {name: given.pop(name) for name in names}
        command(**given, words=words)

    own = inspect.signature(command, eval_str=True).parameters.values()
    first, second, *others = (parameter for parameter in own if parameter.name != "words")
    parameters = [first, second, *map(_parameter, options), *others]
    called.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    called.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return called


def _parameter(option: DecodeOption) -> inspect.Parameter:
    kind = str if option.least is None else int
    parameter = typer.Option(help=option.help, min=option.least, max=option.most)
    annotation = Annotated[kind | None, parameter]  # type: ignore[valid-type]
    return inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=annotation)


def decode_command(
    *,
    words: dict[str, Any],
    capture: Annotated[
        Path, typer.Argument(help="A capture: pcap, pcapng, or a file of TS packets; /dev/stdin reads it from a pipe.")
    ],
    packets: Annotated[
        str | None, typer.Option(help="Packets to print, counted from 1: 10-20, 10- or 7. All are read.")
    ] = None,
    rtp_port: Annotated[
        str | None, typer.Option(help="UDP ports that carry RTP, if they are not recognised: 5004,5006.")
    ] = None,
    link_type: Annotated[
        str | None,
        typer.Option(help=f"Packet formats by link type: 147=slip,148=ppp. Formats: {', '.join(formats.names())}."),
    ] = None,
    in_tunnels: Annotated[
        str | None, typer.Option(help="Format of packets in tunnels that are not IP: pdcp-nr:18.", metavar="FORMAT")
    ] = None,
    fields: Annotated[
        bool, typer.Option("--fields", help="Print every field with its position, and all octets.")
    ] = False,
    only_differing: Annotated[
        bool, typer.Option("--only-differing", help="Print only packets that the two read differently.")
    ] = False,
    restored: Annotated[Path | None, typer.Option(help="Write the packets that the judge restored (pcap).")] = None,
    tshark: Annotated[bool, typer.Option("--tshark/--no-tshark", help="Use tshark as a second reader.")] = True,
    json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
) -> None:
    from headroom.decode import run

    given = formats.chosen(link_type)
    inside = None if in_tunnels is None else formats.find(in_tunnels)
    options = run.DecodeOptions(capture, words, *range_of(packets), ports_of(rtp_port), tshark, given, inside)
    read = run.read(options)
    kept = _Restored(restored)
    chosen = kept.watch(packet for packet in read.decoded())
    if only_differing:
        chosen = (packet for packet in chosen if packet.compared.differences)
    documents = _as_json(chosen) if json else _as_text(chosen, fields)
    kept.write()
    if json:
        print_json({"capture": str(capture), "packets": documents, **_summary(read)})
    for remark in read.remarks:
        say(remark)
    counts = read.verdicts
    say(
        f"{sum(counts.values())} packets: both agree on {counts['agree']}, differ on {counts['differ']}; "
        f"{counts['silent']} were read by one of them only."
    )
    if read.unverified:
        say(f"{read.unverified} restored packets have a wrong checksum: see their notes.")
    for fault in read.faults:
        warn(fault)
    if not read.packets:
        say("The capture holds no packets.")
    elif read.packets[-1][0].number < options.first:
        say(f"The capture has only {read.packets[-1][0].number} packets.")
    if counts["differ"] or read.faults:
        raise typer.Exit(EXIT_FAILED)


def _summary(read: Capture) -> dict[str, Any]:
    verdicts = {name: read.verdicts[name] for name in ("agree", "differ", "silent")}
    return {"verdicts": verdicts, "remarks": read.remarks, "faults": read.faults}


def range_of(text: str | None) -> tuple[int, int | None]:
    """The first and last packet of a range such as 10-20, 10-, -20 or 7. Raises UsageError on anything else."""
    if text is None:
        return 1, None
    first, dash, last = text.strip().partition("-")
    if (first or last) and all(not part or (part.isdecimal() and len(part) < 10) for part in (first, last)):
        begin = int(first or 1)
        end = int(last) if last else None if dash else begin
        if begin >= 1 and (end is None or end >= begin):
            return begin, end
    raise UsageError(f"--packets takes a range such as 10-20, 10- or 7, counted from 1, not '{text}'.")


def ports_of(text: str | None) -> frozenset[int]:
    """UDP ports in a list such as 5004,5006. Raises UsageError on anything else."""
    from headroom.core.options import split_names

    names = split_names(text or "")
    if text is not None and not (names and all(name.isdecimal() and 0 < int(name) < 65536 for name in names)):
        raise UsageError(f"--rtp-port takes UDP ports such as 5004,5006, not '{text}'.")
    return frozenset(int(name) for name in names)


class _Restored:
    """Writes the packets that the judge restored to a file, if one is named."""

    def __init__(self, path: Path | None) -> None:
        self.path = path
        self.packets: list[tuple[int, bytes, int]] = []

    def watch(self, packets: Iterator[DecodedPacket]) -> Iterator[DecodedPacket]:
        for packet in packets:
            if self.path and packet.ours is not None and packet.ours.restored is not None:
                for octets in (packet.ours.restored, *packet.ours.also_restored):
                    self.packets.append((packet.captured.time_ns, octets, len(octets)))
            yield packet

    def write(self) -> None:
        if self.path:
            from headroom.core.captures import framing, writing

            count = writing.write(self.path, framing.RAW, self.packets)
            say(f"{self.path}: {count} packets as the judge restored them")


def _as_json(packets: Iterator[DecodedPacket]) -> list[dict[str, Any]]:
    from headroom.decode import text as shown

    return [shown.document(packet) for packet in packets]


def _as_text(packets: Iterator[DecodedPacket], in_full: bool) -> list[dict[str, Any]]:
    """Prints a table in pieces as it goes or, with all fields, a piece for each packet."""
    from rich.console import Console

    from headroom.decode import text as shown

    stream = styled(sys.stdout)
    console = Console(file=stream)
    if not console.is_terminal:
        console = Console(file=stream, width=PIPED_WIDTH)
    header = True
    while part := list(islice(packets, 1 if in_full else AT_ONCE)):
        console.print(_table(part, header))
        header = False
        if in_full:
            console.print(plain("\n".join(shown.in_full(part[0]))), soft_wrap=True)
    return []


def _table(part: list[DecodedPacket], header: bool) -> Any:
    from rich.box import SIMPLE_HEAD
    from rich.table import Table

    from headroom.decode import text as shown

    table = Table(box=SIMPLE_HEAD, show_header=header, expand=True, pad_edge=False, header_style="bold")
    table.add_column("packet", width=10, no_wrap=True)
    table.add_column("on the link", ratio=3, overflow="fold")
    table.add_column("the judge", ratio=9, overflow="fold")
    table.add_column("tshark", ratio=7, overflow="fold")
    table.add_column("", ratio=4, overflow="fold")
    for packet in part:
        captured = packet.captured
        link = [packet.channel, f"{len(packet.frame.octets)} octets", *captured.comments]
        table.add_row(
            plain(f"{captured.number}\n{packet.since_ns / 1e9:.6f}"),
            plain("\n".join(line for line in link if line)),
            plain(shown.ours_text(packet)),
            plain(shown.theirs_text(packet)),
            plain(shown.verdict_text(packet.compared), VERDICT_STYLES[packet.compared.verdict]),
        )
    return table
