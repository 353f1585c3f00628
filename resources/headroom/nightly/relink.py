# SPDX-License-Identifier: Apache-2.0
"""Relinking: the object files of a build in another order, after some octets of padding.

Only the place of the code in memory differs then, and with it the effects of caches and branch predictors. A change of
time that disappears with the place is not due to the code. Source: T. Mytkowicz and others, "Producing Wrong Data
Without Doing Anything Obviously Wrong!", ASPLOS 2009.
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

LAYOUTS = (1, 2, 3)
PADDING_OCTETS = 16  # alignment of functions; caches have lines of 64
_INPUTS = (".o", ".a")


@dataclass(frozen=True)
class Relinking:
    """The commands of a layout, to be run in the build's folder by a shell, and the assembler source that they read."""

    padding: str
    commands: tuple[str, ...]


class NotRelinkable(ValueError):
    """Raised if a command links nothing that could stand in another order."""


def relinking(linking: str, output: Path, layout: int) -> Relinking:
    """The commands that link a build's file in another layout. `linking` is the command that links it, as `ninja -t
    commands -s` prints it; `output` is the new file, with its padding beside it. Raises NotRelinkable.
    """
    arguments = _words(linking)
    place = arguments.index("-o")
    driver, rest = arguments[:place], arguments[place + 2 :]
    inputs = [word for word in rest if word.endswith(_INPUTS)]
    if not inputs:
        raise NotRelinkable("the command that links it names no object file")
    others = [word for word in rest if not word.endswith(_INPUTS)]
    turned = inputs[layout % len(inputs) :] + inputs[: layout % len(inputs)]
    source, object_file = (str(output.with_suffix(suffix)) for suffix in (".padding.s", ".padding.o"))
    # In a group, because archives refer to each other in any order.
    group = ["-Wl,--start-group", *turned, "-Wl,--end-group"]
    return Relinking(
        padding_source(layout),
        (
            shlex.join([*driver, "-c", source, "-o", object_file]),
            shlex.join([*driver, "-o", str(output), object_file, *group, *others]),
        ),
    )


def padding_source(layout: int) -> str:
    """Assembler source, for any processor, of the octets before the code: another multiple of 16 for each layout."""
    octets = PADDING_OCTETS * (2 * layout - 1)
    return f".text\n.globl headroom_padding\n.hidden headroom_padding\nheadroom_padding:\n.skip {octets}\n{_STACK}"


_STACK = '.section .note.GNU-stack,"",%progbits\n'  # none of it is executable


def _words(linking: str) -> list[str]:
    """The words of the linking command, without CMake's prefix and suffix (`: && … && :`)."""
    for part in linking.strip().split(" && "):
        arguments = shlex.split(part)
        if "-o" in arguments[:-1]:
            return arguments
    raise NotRelinkable("no command links it")
