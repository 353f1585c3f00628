# SPDX-License-Identifier: Apache-2.0
"""The words by which implementation.yaml names cells of the interop matrix, and the scheme whose cells they name.

They are those of `./headroom interop`. ROHC and SigComp each have words of their own, and share `peers`, `traffic` and
`links`, whose values tell them apart.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from headroom.schemes.sigcomp.sip import sequences

ROHC, SIGCOMP = "rohc", "sigcomp"
NAMES = {ROHC: "ROHC", SIGCOMP: "SigComp"}
OWN = {"profiles": ROHC, "modes": ROHC, "cids": ROHC, "mechanisms": SIGCOMP, "transports": SIGCOMP}
CLEAN = "clean"  # the link that both have
CALL_LINKS = ("loss", "reorder", "duplicates")  # the others of SigComp


def schemes_named(cells: Mapping[str, Sequence[str]]) -> dict[str, str]:
    """The schemes whose cells some words can only mean, each with the first word that says so."""
    found: dict[str, str] = {}
    for word in cells:
        if word in OWN:
            found.setdefault(OWN[word], word)
    for name in cells.get("traffic", ()):
        found.setdefault(SIGCOMP if name in sequences.names() else ROHC, name)
    for name in cells.get("links", ()):
        if name != CLEAN:
            found.setdefault(SIGCOMP if name in CALL_LINKS else ROHC, name)
    return found


def scheme_of(cells: Mapping[str, Sequence[str]], of_packets: bool, declared: Collection[str]) -> str:
    """The scheme whose cells a deviation is about. `of_packets`: it names fields or requirements of ROHC's packets;
    `declared`: the schemes of the implementation, of which the only one is meant where no word says.

    Raises ValueError, with a sentence without its full stop, where that is none, or more than one.
    """
    named = schemes_named(cells)
    if of_packets:
        named.setdefault(ROHC, "breaks or fields")
    if len(named) > 1:
        words = " and ".join(f"{word} ({NAMES[scheme]})" for scheme, word in named.items())
        raise ValueError(f"no cell has both {words}; make two deviations of it")
    known = [scheme for scheme in NAMES if scheme in declared]
    if not named:
        if len(known) > 1:
            raise ValueError(
                "cells of ROHC or of SigComp? Say it by a word that only one of them has, such as modes or mechanisms"
            )
        return known[0] if known else ROHC
    ((scheme, word),) = named.items()
    if scheme not in known:
        raise ValueError(f"{word} is of {NAMES[scheme]}, which `capabilities` do not declare")
    return scheme
