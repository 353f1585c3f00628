# SPDX-License-Identifier: Apache-2.0
"""The part of `./headroom interop` that is about SigComp: which schemes are asked for, and the calls of a matrix."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from headroom.core import console
from headroom.core.errors import UsageError
from headroom.core.paths import DEFAULT_BUILD

ROHC, SIGCOMP = "rohc", "sigcomp"
SUITES = {ROHC: "interop/rohc", SIGCOMP: "interop/sigcomp"}
OPTIONS = {ROHC: ("profiles", "modes", "cids"), SIGCOMP: ("mechanisms", "transports")}  # of one scheme alone

Words = dict[str, tuple[str, ...]]


def schemes_of(words: Words, asked: tuple[str, ...] = ()) -> list[str]:
    """The schemes that a matrix is about: those asked for, else those that its other words are about, else those that
    all implementations asked for by name declare."""
    if wrong := [name for name in asked if name not in SUITES]:
        raise UsageError(f"There is no scheme '{wrong[0]}' in the matrix. Known: {', '.join(SUITES)}.")
    if not asked:
        asked = tuple(_meant(words)) or tuple(_declared(words)) or (ROHC,)
    found = [scheme for scheme in SUITES if scheme in asked]
    for scheme in found:
        for name in ("traffic", "links"):
            if words[name] and not part(words, scheme)[name]:
                raise UsageError(f"--{name} names nothing that there is for {scheme}.")
        for option in (option for other in SUITES if other not in found for option in OPTIONS[other]):
            if words[option]:
                raise UsageError(f"--{option} is nothing for {' and '.join(found)}.")
    return found


def part(words: Words, scheme: str) -> Words:
    """Traffic and links of one scheme; what nobody knows is taken for ROHC's, which has captures and profiles of
    anybody's."""
    chosen = {name: tuple(one for one in words[name] if scheme in _whose(name, one)) for name in ("traffic", "links")}
    return {**words, **chosen}


def _whose(name: str, word: str) -> set[str]:
    from headroom.schemes.rohc.interop import links
    from headroom.schemes.sigcomp.interop import call_cells
    from headroom.schemes.sigcomp.sip import sequences

    theirs = sequences.names() if name == "traffic" else list(call_cells.LINK_NAMES)
    if word not in theirs:
        return {ROHC}
    return {SIGCOMP, ROHC} if name == "links" and word in links.names() else {SIGCOMP}


def _meant(words: Words) -> Iterable[str]:
    for scheme, options in OPTIONS.items():
        by_option = any(words[option] for option in options)
        by_word = any(_whose(name, one) == {scheme} for name in ("traffic", "links") for one in words[name])
        if by_option or by_word:
            yield scheme


def _declared(words: Words) -> Iterable[str]:
    from headroom.schemes.rohc.interop import matrix
    from headroom.schemes.sigcomp.interop import call_cells

    named = (*words["compressors"], *words["decompressors"])
    for scheme, declares in ((ROHC, lambda name: bool(matrix.declared(name))), (SIGCOMP, call_cells.declares)):
        if all(declares(name) for name in named):
            yield scheme


def calls_of(words: Words, build: str = DEFAULT_BUILD) -> dict[str, list[str]]:
    """The lists of a plan's matrix. Raises UsageError when a name is unknown, EnvironmentLacks when an implementation
    asked for by name is not usable here."""
    from headroom.core import implementations
    from headroom.schemes.sigcomp.interop import call_cells

    everybody = call_cells.candidates(console.warn_once)
    for name in dict.fromkeys((*words["compressors"], *words["decompressors"])):
        implementations.require_usable(name, build)
        if not call_cells.declares(name):
            raise UsageError(f"{name} does not declare SigComp. Those that do: {', '.join(everybody)}.")
    call_cells.check(words["traffic"])
    chosen = {
        "callers": words["compressors"] or everybody,
        "called": words["decompressors"] or everybody,
        "mechanisms": _known(words["mechanisms"], call_cells.MECHANISMS, "mechanism"),
        "transports": _known(words["transports"], ("udp", "tcp"), "transport"),
        "call_links": _known(words["links"], tuple(call_cells.LINK_NAMES), "link condition of calls"),
        "sequences": words["traffic"],
    }
    return {name: list(dict.fromkeys(found)) for name, found in chosen.items()}


def _known(given: tuple[str, ...], known: tuple[str, ...], what: str) -> tuple[str, ...]:
    words = tuple(word.lower() for word in given)
    for word in words:
        if word not in known:
            raise UsageError(f"There is no {what} '{word}'. Known: {', '.join(known)}.")
    return words or known


def cells(asked: dict[str, list[str]], seed: int, build: str) -> list[dict[str, Any]]:
    """The cells that there would be, each with why it is unsupported, "" where it would run."""
    from headroom.schemes.sigcomp.interop import call, call_cells

    found = []
    for caller in asked["callers"]:
        for called in asked["called"]:
            for mechanism, transport, link, compartments in call_cells.ROWS:
                if mechanism not in asked["mechanisms"] or transport not in asked["transports"]:
                    continue
                if link not in asked["call_links"]:
                    continue
                row = call.Row(caller, called, mechanism, transport, link, seed, build, tuple(asked["sequences"]))
                reason = call.not_declared(row)
                found += [
                    {name: cell[name] for name in call_cells.WORDS} | {"unsupported": f"{reason}." if reason else ""}
                    for cell in call_cells.without(row, "unsupported", reason, compartments)
                ]
    return found
