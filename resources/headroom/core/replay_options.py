# SPDX-License-Identifier: Apache-2.0
"""The named arguments of the suites' `Replay …` and of `./headroom replay`, checked and made into values.

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

MOST_NUMBERS = 1_000_000  # most packets that an argument may name


def octets(text: str) -> str:
    """The octets of hexadecimal digits without spaces and colons."""
    plain = re.sub(r"[\s:]", "", text)
    if not re.fullmatch(r"(?:[0-9a-fA-F]{2})*", plain):
        raise UsageError(f"'{text}' is not a row of hexadecimal octets.")
    return plain.lower()


def numbers(text: str) -> list[int]:
    """The packet numbers in a text such as 5,6 or 10-14."""
    result: list[int] = []
    for part in split_names(str(text)):
        match = re.fullmatch(r"(\d+)(?:-(\d+))?", part)
        if not match:
            raise UsageError(f"'{part}' is not a packet number or range.")
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first:
            raise UsageError(f"'{part}' is not a range: it ends before it begins.")
        if last - first >= MOST_NUMBERS - len(result):
            raise UsageError(f"'{text}' names more than {MOST_NUMBERS:,} packets. Use loss for so many.")
        result += range(first, last + 1)
    return result


def flips(text: str) -> list[dict[str, int]]:
    """The bits to invert: packet:bit, separated by commas."""
    result = []
    for part in split_names(text):
        packet, colon, bit = part.partition(":")
        if not colon or not packet.isdigit() or not bit.isdigit():
            raise UsageError(f"'{part}' is not of the form packet:bit.")
        result.append({"packet": int(packet), "bit": int(bit)})
    return result


def burst_loss(text: str) -> dict[str, float]:
    """The parameters of the Gilbert-Elliott model: good_to_bad:bad_to_good:loss_bad, with no loss in the good state."""
    parts = text.split(":")
    if len(parts) != 3:
        raise UsageError(f"'{text}' is not of the form good_to_bad:bad_to_good:loss_bad.")
    good_to_bad, bad_to_good, loss_bad = map(_finite, parts)
    return {"good_to_bad": good_to_bad, "bad_to_good": bad_to_good, "loss_good": 0.0, "loss_bad": loss_bad}


def slots(text: str) -> dict[str, int]:
    """Slots of a link of constant bit rate: packet_octets:buffer_packets:buffers:receiver_buffer_packets. Numbers at
    the end may be left out.
    """
    names = ("packet_octets", "buffer_packets", "buffers", "receiver_buffer_packets")
    parts = text.split(":")
    if len(parts) > len(names) or not all(part.isdigit() for part in parts):
        raise UsageError(f"'{text}' is not of the form {':'.join(names)}.")
    return dict(zip(names, map(int, parts), strict=False))


def encapsulation(text: str) -> str:
    """The frames of a capture of the link."""
    if text not in ("ethernet", "ppp"):
        raise UsageError(f"The encapsulation must be ethernet or ppp, not '{text}'.")
    return text


def _check_encapsulation(scheme: Scheme, name: str) -> None:
    """Raises UsageError if frames cannot carry the scheme's packets."""
    numbers = {"ethernet": scheme.framing.ether_types, "ppp": scheme.framing.ppp_protocols}
    if name and not numbers[name]:
        number = "Ethernet type" if name == "ethernet" else "PPP protocol number"
        other = "".join(f", or say encapsulation={frames}" for frames, is_possible in numbers.items() if is_possible)
        raise UsageError(
            f"encapsulation={name} is impossible: packets of {scheme.title} have no {number}. Leave encapsulation "
            f"out{other}."
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
    number = float(text)
    if not math.isfinite(number):
        raise ValueError("a finite number was expected")
    return number


def _milliseconds(text: str) -> int:
    return round(_finite(text) * 1e6)


def _seconds(text: str) -> float:
    if (seconds := _finite(text)) <= 0:
        raise ValueError("a number of seconds above 0 was expected")
    return seconds


Argument = Callable[[ReplayConfig, str], None]


@dataclass(frozen=True)
class ReplayWords:
    """A scheme's part of replays. `arguments` are its named arguments. `settle` completes a replay when all arguments
    have been read. `remarks` are sentences about a finished replay, which are not failures. `limit` names the limit of
    the run, and of no implementation, that left packets without room; "" if there was none.
    """

    arguments: Mapping[str, Argument]
    settle: Callable[[ReplayConfig], None]
    remarks: Callable[[Replay], list[str]]
    limit: Callable[[Replay], str] = lambda done: ""


def into(part: str, key: str, convert: Callable[[str], Any]) -> Argument:
    """An argument whose value goes into a part of the replay: channel, forward, feedback, backward."""
    return lambda made, text: getattr(made, part).update({key: convert(text)})


def without_feedback(title: str) -> Callable[[ReplayConfig], None]:
    """Makes the `settle` of a scheme without feedback. It raises UsageError if feedback is configured."""

    def settle(config: ReplayConfig) -> None:
        if config.feedback not in ({}, {"path": "none"}):
            arguments = ", ".join(
                "feedback" if key == "path" else f"feedback_{key.removesuffix('_ns')}" for key in config.feedback
            )
            raise UsageError(f"{title} has no feedback: leave out {arguments}.")

    return settle


def _attribute(name: str, convert: Callable[[str], Any]) -> Argument:
    return lambda made, text: setattr(made, name, convert(text))


def _side(name: str) -> Argument:
    return lambda made, text: setattr(made, name, None if text == "none" else implementations.find(text))


def _duration(config: ReplayConfig, text: str) -> None:
    config.duration_s, config.packets = _seconds(text), None


def _reorder(key: str, convert: Callable[[str], Any]) -> Argument:
    def put(config: ReplayConfig, text: str) -> None:
        config.forward.setdefault("reorder", {"probability": 0.0, "depth": 1})[key] = convert(text)

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


CARRIER = "carrier"  # and, before a dot, of the carrier's arguments
OF_CARRIER = ("channels", "compressor", "decompressor", "compressor_options", "decompressor_options")


def _ether_type(text: str) -> int:
    try:
        return int(text, 0)
    except ValueError:
        raise ValueError("an Ethernet type such as 0x22F1 is expected") from None


def carrier_of(config: ReplayConfig, named: Mapping[str, str]) -> Carrier:
    """The carrier of a replay from the named arguments `carrier` and `carrier.NAME`, where NAME is an argument of its
    scheme, `type`, `ethernet`, or one of OF_CARRIER. Raises UsageError.
    """
    schemes = {name: scheme for name, scheme in all_schemes().items() if scheme.replay}
    scheme = schemes.get(named.get(CARRIER, ""))
    if CARRIER not in named:
        raise UsageError(f"{next(iter(named))} belongs to a carrier: add {CARRIER}=, one of {', '.join(schemes)}.")
    if scheme is None:
        raise UsageError(
            f"carrier={named.get(CARRIER, '')} names no scheme that carries packets: {', '.join(schemes)}."
        )
    assert scheme.replay is not None
    theirs = scheme.replay()
    reference = implementations.find(Settings().compressor)
    carrier = Carrier(ReplayConfig(scheme.name, reference, reference))
    if (channels := config.channel.get("channels", 1)) != 1:
        carrier.config.channel["channels"] = channels
    arguments = {**theirs.arguments, **{name: ARGUMENTS[name] for name in OF_CARRIER}}
    defaults = {
        option.name: option.text(option.default) for option in scheme.replay_options if option.name in arguments
    }
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
                known = [f"{CARRIER}.{argument}" for argument in (*arguments, "type", "ethernet")]
                raise UsageError(_unknown(f"{CARRIER}.{name}", known))
    theirs.settle(carrier.config)
    return carrier


@contextmanager
def _sensible(name: str, text: str) -> Iterator[None]:
    """Turns errors of a value's type into a UsageError."""
    try:
        yield
    except (ValueError, TypeError) as error:
        raise UsageError(f"{name}={text} is not valid: {error}.") from error


_instead: Packets | None = None  # packets in place of any traffic profile or capture; see `carrying`


@contextmanager
def carrying(packets: Packets) -> Iterator[None]:
    """Makes replays inside the block carry these packets in place of their traffic profile or capture."""
    global _instead
    before, _instead = _instead, packets
    try:
        yield
    finally:
        _instead = before


def config_of(scheme: Scheme, source: str | Packets, named: Mapping[str, str], run: Run) -> ReplayConfig:
    """A replay from the named arguments of a keyword, with a scheme that has replays.

    Raises UsageError for an unknown argument or an impossible value.
    """
    assert scheme.replay is not None
    theirs = scheme.replay()
    if _instead is not None and isinstance(source, str):
        source = _instead
    # A scheme may give a name its own meaning, if the general one means nothing for its link packets.
    generic = {name: argument for name, argument in ARGUMENTS.items() if name not in theirs.arguments}
    arguments = {**theirs.arguments, **generic}
    config = ReplayConfig(scheme.name, run.compressor, run.decompressor, source, seed=run.seed, build=run.build)
    of_carrier = {name: text for name, text in named.items() if name.partition(".")[0] == CARRIER}
    for name, text in named.items():
        if name in of_carrier:
            continue
        if name not in arguments:
            raise UsageError(_unknown(name, [*arguments, CARRIER]))
        with _sensible(name, text):
            arguments[name](config, text)
    theirs.settle(config)
    if of_carrier:
        config.carrier = carrier_of(config, of_carrier)
    outer = all_schemes()[config.carrier.config.scheme] if config.carrier else scheme
    _check_encapsulation(outer, config.encapsulation)
    return config


def _unknown(name: str, known: list[str]) -> str:
    import difflib

    close = difflib.get_close_matches(name, known, 1)
    return f"'{name}' is not known here" + (f"; '{close[0]}' is meant?" if close else f". Known: {', '.join(known)}")


def file_of(path: str) -> Path:
    """A file named in a suite: relative to the repository."""
    target = Path(path) if Path(path).is_absolute() else ROOT / path
    if not target.is_file():
        raise UsageError(f"There is no file {path}.")
    return target
