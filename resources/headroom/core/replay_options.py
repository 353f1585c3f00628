# SPDX-License-Identifier: Apache-2.0
"""Words made into values: the named arguments of the suites' `Replay …` and of `./headroom replay`, checked.

No typing error is ignored.
"""

import math
import re
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headroom.core import implementations
from headroom.core.contract import Scheme
from headroom.core.errors import UsageError
from headroom.core.options import boolean, seed_of, split_names
from headroom.core.paths import ROOT
from headroom.core.replay import Carrier, Packets, Replay, ReplayConfig
from headroom.core.run.run import Run
from headroom.core.scheme_registry import all_schemes
from headroom.core.settings import Settings

MOST_NUMBERS = 1_000_000  # of packets that an argument may name


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
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            raise UsageError(f"'{part}' is no range: its end lies before its begin.")
        if last - first >= MOST_NUMBERS - len(result):
            raise UsageError(f"'{text}' names more than {MOST_NUMBERS:,} packets. Use loss for so many.")
        result += range(first, last + 1)
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
    good_to_bad, bad_to_good, loss_bad = map(_finite, parts)
    return {"good_to_bad": good_to_bad, "bad_to_good": bad_to_good, "loss_good": 0.0, "loss_bad": loss_bad}


def slots(text: str) -> dict[str, int]:
    """Slots of a link of constant bit rate: octets:buffer packets:buffers:receiver buffer packets, the first alone or
    with some of the others."""
    names = ("packet_octets", "buffer_packets", "buffers", "receiver_buffer_packets")
    parts = text.split(":")
    if len(parts) > len(names) or not all(part.isdigit() for part in parts):
        raise UsageError(f"'{text}' is not of the form octets:buffer packets:buffers:receiver buffer packets.")
    return dict(zip(names, map(int, parts), strict=False))


def encapsulation(text: str) -> str:
    """The frames of a capture of the link."""
    if text not in ("ethernet", "ppp"):
        raise UsageError(f"The encapsulation must be ethernet or ppp, not '{text}'.")
    return text


def _check_encapsulation(scheme: Scheme, name: str) -> None:
    """Raises UsageError where frames cannot carry the scheme's packets."""
    numbers = {"ethernet": scheme.framing.ether_types, "ppp": scheme.framing.ppp_protocols}
    if name and not numbers[name]:
        number = "Ethernet type" if name == "ethernet" else "PPP protocol number"
        other = "".join(f", or say encapsulation={one}" for one, found in numbers.items() if found)
        raise UsageError(
            f"encapsulation={name} is impossible: packets of {scheme.title} have no {number}. "
            f"Leave encapsulation out{other}."
        )


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


def _finite(text: str) -> float:
    """A number that JSON has. Raises ValueError for others, such as nan and inf."""
    found = float(text)
    if not math.isfinite(found):
        raise ValueError("a finite number was expected")
    return found


def _milliseconds(text: str) -> int:
    return round(_finite(text) * 1e6)


def _seconds(text: str) -> float:
    if (found := _finite(text)) <= 0:
        raise ValueError("a number of seconds above 0 was expected")
    return found


Argument = Callable[[ReplayConfig, str], None]


@dataclass(frozen=True)
class ReplayWords:
    """What replays of a scheme have of its own. `arguments` are its named arguments; `settle` completes a replay when
    all arguments have been taken; `remarks` are sentences about one that was run, which are no failures. `limit` says
    which limit of the run, and of no implementation, kept packets without room from coming out; "" where none did."""

    arguments: Mapping[str, Argument]
    settle: Callable[[ReplayConfig], None]
    remarks: Callable[[Replay], list[str]]
    limit: Callable[[Replay], str] = lambda done: ""


def into(part: str, key: str, convert: Callable[[str], Any]) -> Argument:
    """An argument whose value goes into a part of the replay: channel, forward, feedback, backward."""
    return lambda made, text: getattr(made, part).update({key: convert(text)})


def without_feedback(title: str) -> Callable[[ReplayConfig], None]:
    """What completes a replay of a scheme that has no feedback. It raises UsageError where feedback is configured."""

    def settle(made: ReplayConfig) -> None:
        if made.feedback not in ({}, {"path": "none"}):
            given = ", ".join(
                "feedback" if key == "path" else f"feedback_{key.removesuffix('_ns')}" for key in made.feedback
            )
            raise UsageError(f"{title} has no feedback: leave out {given}.")

    return settle


def _attribute(name: str, convert: Callable[[str], Any]) -> Argument:
    return lambda made, text: setattr(made, name, convert(text))


def _side(name: str) -> Argument:
    return lambda made, text: setattr(made, name, None if text == "none" else implementations.find(text))


def _duration(made: ReplayConfig, text: str) -> None:
    made.duration_s, made.packets = _seconds(text), None


def _reorder(key: str, convert: Callable[[str], Any]) -> Argument:
    def put(made: ReplayConfig, text: str) -> None:
        made.forward.setdefault("reorder", {"probability": 0.0, "depth": 1})[key] = convert(text)

    return put


ARGUMENTS: dict[str, Argument] = {
    "channels": into("channel", "channels", int),
    "loss": into("forward", "loss", _finite),
    "ber": into("forward", "ber", _finite),
    "header_errors": into("forward", "header_errors", str),
    "payload_errors": into("forward", "payload_errors", str),
    "duplicate": into("forward", "duplicate", _finite),
    "delay": into("forward", "delay_ns", _milliseconds),
    "jitter": into("forward", "jitter_ns", _milliseconds),
    "rate": into("forward", "rate_bps", int),
    "queue": into("forward", "queue_octets", int),
    "queue_packets": into("forward", "queue_packets", int),
    "harmed_at": into("forward", "harmed_at", str),
    "slots": into("forward", "slots", slots),
    "drop": into("forward", "drop", numbers),
    "flip": into("forward", "flip", flips),
    "burst_loss": into("forward", "burst_loss", burst_loss),
    "reorder": _reorder("probability", _finite),
    "depth": _reorder("depth", int),
    "feedback": into("feedback", "path", str),
    "feedback_loss": into("feedback", "loss", _finite),
    "feedback_ber": into("feedback", "ber", _finite),
    "feedback_delay": into("feedback", "delay_ns", _milliseconds),
    "reverse_loss": into("backward", "loss", _finite),
    "flows": _attribute("flows", int),
    "packets": _attribute("packets", int),
    "duration": _duration,
    "burst": _attribute("burst", int),
    "reverse": _attribute("reverse", boolean),
    "seed": _attribute("seed", seed_of),
    "timeout": _attribute("timeout_s", _seconds),
    "compressor": _side("compressor"),
    "decompressor": _side("decompressor"),
    "compressor_options": _attribute("compressor_options", options),
    "decompressor_options": _attribute("decompressor_options", options),
    "encapsulation": _attribute("encapsulation", encapsulation),
    "sender": _attribute("sender", str),
}


CARRIER = "carrier"  # and in front of a dot, of its own arguments
OF_CARRIER = ("channels", "compressor", "decompressor", "compressor_options", "decompressor_options")


def _ether_type(text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        raise ValueError("an Ethernet type such as 0x22F1 is expected") from None


def carrier_of(made: ReplayConfig, named: Mapping[str, str]) -> Carrier:
    """The carrier of a replay from the named arguments `carrier` and `carrier.NAME`, where NAME is an argument of its
    scheme, `type`, `ethernet`, or one of OF_CARRIER. Raises UsageError."""
    schemes = {name: one for name, one in all_schemes().items() if one.replay}
    scheme = schemes.get(named.get(CARRIER, ""))
    if CARRIER not in named:
        raise UsageError(f"{next(iter(named))} is about a carrier: add {CARRIER}=, one of {', '.join(schemes)}.")
    if scheme is None:
        raise UsageError(
            f"carrier={named.get(CARRIER, '')} names no scheme that carries packets: {', '.join(schemes)}."
        )
    assert scheme.replay is not None
    theirs = scheme.replay()
    reference = implementations.find(Settings().compressor)
    carrier = Carrier(ReplayConfig(scheme.name, reference, reference))
    if (channels := made.channel.get("channels", 1)) != 1:
        carrier.config.channel["channels"] = channels
    arguments = {**theirs.arguments, **{name: ARGUMENTS[name] for name in OF_CARRIER}}
    defaults = {one.name: one.text(one.default) for one in scheme.replay_options if one.name in arguments}
    given = {name.removeprefix(f"{CARRIER}."): text for name, text in named.items() if name != CARRIER}
    for name, text in {**defaults, **given}.items():
        with _sensible(f"{CARRIER}.{name}", text):
            if name == "type":
                carrier.type = _ether_type(text)
            elif name == "ethernet":
                carrier.ethernet = boolean(text)
            elif name in arguments:
                arguments[name](carrier.config, text)
            else:
                known = [f"{CARRIER}.{one}" for one in (*arguments, "type", "ethernet")]
                raise UsageError(_unknown(f"{CARRIER}.{name}", known))
    theirs.settle(carrier.config)
    return carrier


@contextmanager
def _sensible(name: str, text: str) -> Iterator[None]:
    """Turns errors of a value's type into a UsageError."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise UsageError(f"{name}={text} makes no sense: {error}.") from error


_instead: Packets | None = None  # of any traffic profile or capture; see `carrying`


@contextmanager
def carrying(packets: Packets) -> Iterator[None]:
    """Within it, replays carry these packets in place of the traffic profile or capture that they name."""
    global _instead
    before, _instead = _instead, packets
    try:
        yield
    finally:
        _instead = before


def config_of(scheme: Scheme, source: str | Packets, named: Mapping[str, str], run: Run) -> ReplayConfig:
    """A replay from the named arguments of a keyword, with a scheme that has replays.

    Raises UsageError on an argument that does not exist or has no sensible value.
    """
    assert scheme.replay is not None
    theirs = scheme.replay()
    if _instead is not None and isinstance(source, str):
        source = _instead
    # A scheme may have a meaning of its own for a name that means nothing of its link packets.
    generic = {name: one for name, one in ARGUMENTS.items() if name not in theirs.arguments}
    arguments = {**theirs.arguments, **generic}
    made = ReplayConfig(scheme.name, run.compressor, run.decompressor, source, seed=run.seed, build=run.build)
    of_carrier = {name: text for name, text in named.items() if name.partition(".")[0] == CARRIER}
    for name, text in named.items():
        if name in of_carrier:
            continue
        if name not in arguments:
            raise UsageError(_unknown(name, [*arguments, CARRIER]))
        with _sensible(name, text):
            arguments[name](made, text)
    theirs.settle(made)
    if of_carrier:
        made.carrier = carrier_of(made, of_carrier)
    outer = all_schemes()[made.carrier.config.scheme] if made.carrier else scheme
    _check_encapsulation(outer, made.encapsulation)
    return made


def _unknown(name: str, known: list[str]) -> str:
    import difflib

    close = difflib.get_close_matches(name, known, 1)
    return f"'{name}' is not known here" + (f"; '{close[0]}' is meant?" if close else f". Known: {', '.join(known)}")


def file_of(path: str) -> Path:
    """A file named in a suite: relative to the repository."""
    found = Path(path) if Path(path).is_absolute() else ROOT / path
    if not found.is_file():
        raise UsageError(f"There is no file {path}.")
    return found
