# SPDX-License-Identifier: Apache-2.0
"""Words made into values: the named arguments of the suites' `Replay …` and of `./headroom replay`, checked.

No typing error is ignored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from headroom.core import implementations
from headroom.core.errors import UsageError
from headroom.core.options import boolean, seed_of, split_names
from headroom.core.paths import ROOT
from headroom.core.replay import Packets, ReplayConfig
from headroom.core.settings import Settings
from headroom.schemes.rohc import ppp
from headroom.schemes.sigcomp import messages
from headroom.schemes.sigcomp.endpoints import LIMITS, TRANSPORTS, VALUES, generous
from headroom.schemes.sigcomp.sip import calls, sequences

OR = " or "  # between modes, of which that is meant which both sides have
LINK_SHARES = ("loss", "ber", "duplicate")  # of both directions of a link between endpoints


def octets(text: str) -> str:
    """Hexadecimal octets without spaces and colons."""
    plain = re.sub(r"[\s:]", "", text)
    if not re.fullmatch(r"(?:[0-9a-fA-F]{2})*", plain):
        raise UsageError(f"'{text}' is not a row of hexadecimal octets.")
    return plain.lower()


def numbers(text: str) -> list[int]:
    """Packet numbers: 5,6 or 10-14."""
    result: list[int] = []
    for part in split_names(str(text)):
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
        if not match:
            raise UsageError(f"'{part}' is not a packet number or range.")
        result += range(int(match[1]), int(match[2] or match[1]) + 1)
    return result


def flips(text: str) -> list[dict[str, int]]:
    """Bits to invert: packet:bit, separated by commas."""
    result = []
    for part in split_names(text):
        packet, colon, bit = part.partition(":")
        if not colon or not packet.isdigit() or not bit.isdigit():
            raise UsageError(f"'{part}' is not of the form packet:bit.")
        result.append({"packet": int(packet), "bit": int(bit)})
    return result


def burst_loss(text: str) -> dict[str, float]:
    """Gilbert-Elliott: good_to_bad:bad_to_good:loss_bad, with no loss in the good state."""
    parts = text.split(":")
    if len(parts) != 3:
        raise UsageError(f"'{text}' is not of the form good_to_bad:bad_to_good:loss_bad.")
    good_to_bad, bad_to_good, loss_bad = map(float, parts)
    return {"good_to_bad": good_to_bad, "bad_to_good": bad_to_good, "loss_good": 0.0, "loss_bad": loss_bad}


def encapsulation(text: str) -> str:
    """What is around link packets in captures."""
    if text not in ("ethernet", "ppp"):
        raise UsageError(f"The encapsulation must be ethernet or ppp, not '{text}'.")
    return text


def options(text: str) -> dict[str, Any]:
    """Options of an implementation: name=value, separated by semicolons; values are numbers, yes/no or words."""
    result: dict[str, Any] = {}
    for part in filter(None, (piece.strip() for piece in text.split(";"))):
        name, equals, value = part.partition("=")
        if not equals:
            raise UsageError(f"'{part}' is not of the form name=value.")
        result[name.strip()] = _plain(value.strip())
    return result


def _plain(text: str) -> Any:
    if re.fullmatch(r"-?\d+", text):
        return int(text)
    if re.fullmatch(r"-?\d+\.\d*", text):
        return float(text)
    if text.lower() in ("yes", "true"):
        return True
    if text.lower() in ("no", "false"):
        return False
    return text


def _milliseconds(text: str) -> int:
    return round(float(text) * 1e6)


# Named argument: where it goes, under which name, and how its word becomes a value.
ARGUMENTS: dict[str, tuple[str, str, Callable[[str], Any]]] = {
    "mode": ("channel", "mode", str),
    "cids": ("channel", "cids", str),
    "max_cid": ("channel", "max_cid", int),
    "channels": ("channel", "channels", int),
    "profiles": ("channel", "profiles", lambda text: list(split_names(text))),
    "mrru": ("channel", "mrru", int),
    "largest_packet": ("channel", "largest_packet", int),
    "loss": ("forward", "loss", float),
    "ber": ("forward", "ber", float),
    "header_errors": ("forward", "header_errors", str),
    "payload_errors": ("forward", "payload_errors", str),
    "duplicate": ("forward", "duplicate", float),
    "delay": ("forward", "delay_ns", _milliseconds),
    "jitter": ("forward", "jitter_ns", _milliseconds),
    "drop": ("forward", "drop", numbers),
    "flip": ("forward", "flip", flips),
    "burst_loss": ("forward", "burst_loss", burst_loss),
    "feedback": ("feedback", "path", str),
    "feedback_loss": ("feedback", "loss", float),
    "feedback_ber": ("feedback", "ber", float),
    "feedback_delay": ("feedback", "delay_ns", _milliseconds),
    "reverse_loss": ("backward", "loss", float),
}
PLAIN: dict[str, Callable[[str], Any]] = {
    "flows": int,
    "packets": int,
    "burst": int,
    "reverse": boolean,
    "seed": seed_of,
    "compressor": str,
    "decompressor": str,
    "encapsulation": encapsulation,
}


def wanted(source: str | Packets, named: dict[str, str], settings: Settings) -> ReplayConfig:
    """A replay from the named arguments of a keyword.

    Raises UsageError on one that does not exist or has no sensible value.
    """
    result = ReplayConfig(
        compressor=settings.compressor,
        decompressor=settings.decompressor,
        source=source,
        seed=settings.seed,
        build=settings.build,
    )
    for name, text in named.items():
        try:
            _put(result, name, text)
        except (ValueError, TypeError) as error:
            raise UsageError(f"{name}={text} makes no sense: {error}.") from error
    if OR in str(result.channel.get("mode", "")):
        asked = {"compressor": result.compressor, "decompressor": result.decompressor}
        result.channel["mode"] = implementations.first_mode(result.channel["mode"].split(OR), asked)
    return result


def _put(result: ReplayConfig, name: str, text: str) -> None:
    if name in ARGUMENTS:
        part, key, convert = ARGUMENTS[name]
        getattr(result, part)[key] = convert(text)
    elif name in PLAIN:
        value = PLAIN[name](text)
        setattr(result, name, None if value == "none" else value)
    elif name == "duration":
        result.duration_s, result.packets = float(text), None
    elif name == "timeout":
        result.timeout_s = float(text)
    elif name in ("reorder", "depth"):
        reorder = result.forward.setdefault("reorder", {"probability": 0.0, "depth": 1})
        reorder["probability" if name == "reorder" else "depth"] = float(text) if name == "reorder" else int(text)
    elif name in ("compressor_options", "decompressor_options"):
        setattr(result, name, options(text))
    elif name == "ppp_option":
        result.channel |= ppp.parse(bytes.fromhex(octets(text))).channel()
        result.encapsulation = "ppp"
    else:
        import difflib

        known = [
            *ARGUMENTS,
            *PLAIN,
            "duration",
            "timeout",
            "reorder",
            "depth",
            "compressor_options",
            "decompressor_options",
            "ppp_option",
        ]
        close = difflib.get_close_matches(name, known, 1)
        raise UsageError(
            f"'{name}' is not known here" + (f"; '{close[0]}' is meant?" if close else f". Known: {', '.join(known)}")
        )


def conversation(sequence: str, named: dict[str, str], settings: Settings) -> messages.ConversationConfig:
    """A SIP sequence between two endpoints, from named arguments: those of `Send Sequence`.

    Raises UsageError on one that makes no sense; options of an implementation are known only to it.
    """
    named = dict(named)
    people = named.pop("people", "printed")
    if people not in ("printed", "others"):
        raise UsageError(f"people are printed or others, not '{people}'.")
    transport = named.pop("transport", TRANSPORTS[0])
    if transport not in TRANSPORTS:
        raise UsageError(f"The transport is {' or '.join(TRANSPORTS)}, not '{transport}'.")
    printed = people == "printed"
    found = sequences.load(sequences.path_of(sequence)) if printed else calls.call(sequence, settings.seed).messages
    link = {name: _share(name, named.pop(name)) for name in LINK_SHARES if name in named}
    dropped = _dropped(named.pop("drop", ""), sum(message.from_caller for message in found))
    said = {name: _offered(name, named.pop(name)) for name in LIMITS if name in named}
    offer = generous(settings.compressor, settings.decompressor) | said
    return messages.ConversationConfig(
        messages=messages.conversation(found),
        a=settings.compressor,
        b=settings.decompressor,
        transport=transport,
        offer=offer,
        a_to_b={**link, "drop": dropped} if dropped else dict(link),
        b_to_a=dict(link),
        nacks=named.pop("nacks", "yes") != "no",
        seed=settings.seed,
        build=settings.build,
        options={name: _option(name, value) for name, value in named.items()},
    )


def _offered(name: str, text: str) -> int:
    """What an endpoint offers, as it may be. Raises UsageError with what it may be."""
    if not re.fullmatch("[0-9]{1,9}", text) or int(text) not in VALUES[name]:
        *most, last = map(str, VALUES[name])
        raise UsageError(f"{name}={text[:200]} makes no sense: {', '.join(most)} or {last} was expected.")
    return int(text)


def _dropped(text: str, sent: int) -> list[int]:
    """Which of the caller's messages the link drops, from 0. Raises UsageError for one that the sequence lacks."""
    for one in (result := split_names(text)):
        if not re.fullmatch("[0-9]{1,9}", one):
            raise UsageError(f"drop={text} makes no sense: numbers of messages such as 0,3 were expected.")
        if int(one) >= sent:
            raise UsageError(
                f"drop={text} makes no sense: there is no message {one}. The caller sends {sent} in this sequence, "
                f"numbered from 0 to {sent - 1}."
            )
    return [int(one) for one in result]


def _option(name: str, value: str) -> Any:
    """An option's value: a number, JSON where it begins as an object or a list does, or a word."""
    if value.startswith(("{", "[")):
        try:
            return json.loads(value, parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{name}={value[:200]} is no JSON: {error}.") from error
    return int(value) if re.fullmatch("[0-9]{1,20}", value) else value


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is not a number that JSON has")


def _share(name: str, text: str) -> float:
    try:
        share = float(text)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:
        raise UsageError(f"{name}={text} makes no sense: a share from 0 to 1 was expected.")
    return share


def file_of(path: str) -> Path:
    """A file named in a suite: relative to the repository."""
    found = Path(path) if Path(path).is_absolute() else ROOT / path
    if not found.is_file():
        raise UsageError(f"There is no file {path}.")
    return found


def some(values: Sequence[object], most: int = 8) -> str:
    """The first few of a list, for a sentence."""
    shown = ", ".join(str(value) for value in values[:most]) or "nothing"
    return shown + (f" and {len(values) - most} more" if len(values) > most else "")
