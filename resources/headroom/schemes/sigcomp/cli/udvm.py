# SPDX-License-Identifier: Apache-2.0
"""`./headroom udvm`: assemble, disassemble and trace programs of the Universal Decompressor Virtual Machine.

The tools are an adapter's (implementations/README.md, "`tool`"); here files go in and come out.
"""

import string
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from headroom.core.console import examples, print_json, say, warn_once
from headroom.core.errors import HeadroomError, UsageError, disk_error
from headroom.core.paths import DEFAULT_BUILD

ASSEMBLE = examples(
    "./headroom udvm assemble program.udvm -o message.bin",
    "./headroom udvm assemble program.udvm --input compressed.bin -o message.bin",
    "./headroom udvm assemble program.udvm --code -o bytecode.bin",
)
DISASSEMBLE = examples(
    "./headroom udvm disassemble message.bin -o program.udvm",
    "./headroom udvm disassemble bytecode.bin --code --start 64",
)
TRACE = examples(
    "./headroom udvm trace message.bin",
    "./headroom udvm trace first.bin second.bin -o output.txt --cycles-per-bit 64",
)
LONGEST_FILE = 1 << 18  # octets: as the source of a program, and more than any message or its hexadecimal digits
HEXADECIMAL = frozenset((string.hexdigits + string.whitespace).encode())

Implementation = Annotated[str, typer.Option(help="Implementation whose tool runs.")]
Build = Annotated[str, typer.Option(help="Build to use.")]
Json = Annotated[bool, typer.Option("--json", help="Print the tool's answer; octets are in hexadecimal.")]
Output = Annotated[Path | None, typer.Option("--output", "-o", help="File to write; stdout when left out.")]


def add_to(app: typer.Typer) -> None:
    tools = typer.Typer(
        help="Assemble, disassemble and trace programs of the UDVM (RFC 3320, RFC 4464). Files of octets may be "
        "binary or hexadecimal; - is stdin. Status 1: the source has a mistake, or the message fails.",
        epilog=examples(
            "./headroom udvm assemble program.udvm -o message.bin",
            "./headroom udvm disassemble message.bin",
            "./headroom udvm trace message.bin",
        ),
        no_args_is_help=True,
    )
    tools.command("assemble", help="From mnemonics (RFC 4464) to the message that uploads them.", epilog=ASSEMBLE)(
        assemble
    )
    tools.command("disassemble", help="From a message's bytecode to mnemonics.", epilog=DISASSEMBLE)(disassemble)
    tools.command("trace", help="Every instruction that a message executes, and what it outputs.", epilog=TRACE)(trace)
    app.add_typer(tools, name="udvm")


def assemble(
    source: Annotated[Path, typer.Argument(help="Source of a program.")],
    output: Annotated[
        Path | None,
        typer.Option("--output", "-o", help="File to write; stdout when left out, in hexadecimal on a terminal."),
    ] = None,
    code: Annotated[bool, typer.Option("--code", help="Write the bytecode alone, without a message.")] = False,
    input: Annotated[Path | None, typer.Option(help="Octets after the bytecode, which the program reads.")] = None,
    implementation: Implementation = "reference",
    build: Build = DEFAULT_BUILD,
    json: Json = False,
) -> None:
    if code and input is not None:
        raise UsageError("--input is for messages: with --code there is nothing to put it after.")
    behind = b"" if input is None else _octets(input)
    try:
        text = _read(source).decode().removeprefix("\ufeff")  # the byte order mark that some editors put in front
    except UnicodeDecodeError as error:
        raise UsageError(f"{source} is not a text in UTF-8 (octet {error.start}): is it a message already?") from None
    answer = _ask(implementation, build, {"tool": "assemble", "source": text}, source)
    if not code and answer["message"] is None and not json:
        raise HeadroomError(f"{source}: no message uploads this program: {answer['why_no_message']}. --code writes it.")
    octets = bytes.fromhex(answer["code"] if code else answer["message"] or "")
    if json:
        print_json({**answer, "message": (octets + behind).hex() or None} if not code else answer)
    if output is not None or not json:
        _write(output, octets + behind, is_text=False)


def disassemble(
    octets: Annotated[Path, typer.Argument(help="A SigComp message that brings bytecode.")],
    output: Output = None,
    code: Annotated[bool, typer.Option("--code", help="The file is bytecode alone.")] = False,
    start: Annotated[
        int | None, typer.Option(min=0, max=65535, help="With --code: where it is loaded and begins; 128 if left out.")
    ] = None,
    implementation: Implementation = "reference",
    build: Build = DEFAULT_BUILD,
    json: Json = False,
) -> None:
    if start is not None and not code:
        raise UsageError("--start is for --code: a message says itself where its bytecode is loaded.")
    question = {"code": _octets(octets).hex(), "start": 128 if start is None else start}
    request = question if code else {"message": question["code"]}
    answer = _ask(implementation, build, {"tool": "disassemble", **request}, octets)
    if json:
        print_json(answer)
    if output is not None or not json:
        _write(output, answer["source"].encode(), is_text=True)


def trace(
    messages: Annotated[list[Path], typer.Argument(help="SigComp messages; those before the last are accepted.")],
    output: Annotated[Path | None, typer.Option("--output", "-o", help="Write what the last one outputs.")] = None,
    limit: Annotated[int, typer.Option(min=0, max=100_000, help="Instructions to print.")] = 10_000,
    transport: Annotated[str, typer.Option(help="udp or tcp.")] = "udp",
    decompression_memory_size: Annotated[int, typer.Option(help="Octets.")] = 8192,
    state_memory_size: Annotated[int, typer.Option(help="Octets of the compartment.")] = 2048,
    cycles_per_bit: Annotated[int, typer.Option(help="UDVM cycles for each bit of the message.")] = 16,
    implementation: Implementation = "reference",
    build: Build = DEFAULT_BUILD,
    json: Json = False,
) -> None:
    config = {
        "scheme": "sigcomp",
        "transport": transport,
        "decompression_memory_size": decompression_memory_size,
        "state_memory_size": state_memory_size,
        "cycles_per_bit": cycles_per_bit,
    }
    request = {"tool": "trace", "messages": [_octets(path).hex() for path in messages], "config": config}
    answer = _ask(implementation, build, {**request, "limit": limit}, messages[-1])
    octets = None if answer["output"] is None else bytes.fromhex(answer["output"])
    if json:
        print_json(answer)
    else:
        for line in answer["lines"]:
            print(line)
        if answer["truncated"]:
            say(f"There are more than {limit} instructions; --limit prints more of them.")
        failed = f": {answer['reason_name']} at address {answer['pc']}" if answer["kind"] == "failed" else ""
        came = "" if octets is None else f", {len(octets)} octets of output"
        say(f"{messages[-1]}: {answer['kind']}{failed}{came}, {answer['cycles']} cycles")
    if output is not None:
        if octets is None:
            raise HeadroomError(f"Nothing was written to {output}: the message has no output.")
        _write(output, octets, is_text=False)
    if answer["kind"] == "failed":
        raise typer.Exit(1)


def _ask(name: str, build: str, request: dict[str, Any], about: Path) -> dict[str, Any]:
    """The tool's answer. Raises HeadroomError with the place in `about`, and UsageError where there is no such tool."""
    from headroom.core import engine, implementations
    from headroom.core.machine import build as builds
    from headroom.schemes.sigcomp import endpoints

    tool = request["tool"]
    builds.ensure(build, implementations.ninja_targets(warn=warn_once), say=say)
    implementation = implementations.require_adapter(name, build)
    if tool not in endpoints.described(implementation, build).get("tools", ()):
        raise UsageError(f"{name} has no tool '{tool}' for SigComp; the reference has it.")
    job = {"library": str(implementation.library_path(build)), "request": {"scheme": endpoints.SCHEME, **request}}
    answer = engine.run("udvm", job, timeout_s=60, build=build)
    if "error" in answer:
        place = "".join(f":{answer[key]}" for key in ("line", "column") if key in answer)
        raise HeadroomError(f"{about}{place}: {answer['error']}.")
    return answer


def _read(path: Path) -> bytes:
    """The octets of a file, or of stdin for `-`. Raises UsageError if the file cannot be read or is too long for a
    program or a message.
    """
    if path == Path("-"):
        octets = sys.stdin.buffer.read(LONGEST_FILE + 1)
    elif path.is_dir():
        raise UsageError(f"{path} is a folder, not a file.")
    else:
        try:
            with path.open("rb") as file:
                octets = file.read(LONGEST_FILE + 1)
        except FileNotFoundError:
            raise UsageError(f"There is no file {path}.") from None
        except OSError as error:
            raise UsageError(f"{path} cannot be read: {error.strerror}.") from None
    if len(octets) > LONGEST_FILE:
        raise UsageError(f"{path} has more than {LONGEST_FILE} octets: it is neither a program nor a message.")
    return octets


def _octets(path: Path) -> bytes:
    """The octets of a file, which may be written in hexadecimal: no message and no program consists of hexadecimal
    digits only.
    """
    octets = _read(path)
    if not octets.strip():
        raise UsageError(f"{path} is empty.")
    if not HEXADECIMAL.issuperset(octets):
        return octets
    try:
        return bytes.fromhex(octets.decode())
    except ValueError:
        raise UsageError(f"{path} has an odd number of hexadecimal digits.") from None


def _write(path: Path | None, octets: bytes, is_text: bool) -> None:
    """Writes octets to a file or to stdout. On a terminal, octets that are no text are printed in hexadecimal."""
    if path is not None:
        _write_file(path, octets)
        say(f"{path}: {len(octets)} octets")
    elif sys.stdout.isatty() and not is_text:
        print(octets.hex())
    else:
        sys.stdout.buffer.write(octets)
        sys.stdout.flush()


def _write_file(path: Path, octets: bytes) -> None:
    """Writes a file. Raises UsageError if it cannot be opened, EnvironmentLacks if it cannot be written, such as on a
    full disk; then the file is removed.
    """
    try:
        file = path.open("wb")
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}.") from None
    try:
        with file:
            file.write(octets)
    except OSError as error:
        if path.is_file() and not path.is_symlink():  # neither a device nor what /dev/stdout leads to
            path.unlink(missing_ok=True)
        raise disk_error(error, f"writing {path}", resumable=False) from error
