# SPDX-License-Identifier: Apache-2.0
"""SIP message sequences: the files of traffic-profiles/sip, as messages."""

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from headroom.core.errors import UsageError
from headroom.core.paths import PROFILES, shown

FOLDER = PROFILES / "sip"
CALLER, CALLED = ">>>", "<<<"  # what the line before a message begins with: who sends it
MOST_OCTETS = 1500 - 28  # of a datagram in an Ethernet frame, over IPv4


@dataclass(frozen=True)
class Message:
    """A message: its sender, its name, such as `INVITE` or `180 Ringing`, and its octets."""

    from_caller: bool
    name: str
    octets: bytes


def names(folder: Path = FOLDER) -> list[str]:
    return sorted(path.stem for path in folder.glob("*.txt"))


def path_of(name: str, folder: Path = FOLDER) -> Path:
    """File of a sequence: a name of `names()`, or the path of a file of one's own (with a slash, or ending in .txt)."""
    if "/" in name or name.endswith(".txt"):
        if not Path(name).is_file():
            raise UsageError(f"There is no file {name}; the sequences that have a name are {', '.join(names(folder))}.")
        return Path(name)
    path = folder / f"{name}.txt"
    if not path.is_file():
        raise UsageError(f"There is no SIP sequence {shown(path)}; there are {', '.join(names(folder))}.")
    return path


@lru_cache
def load(path: Path) -> tuple[Message, ...]:
    """The messages of a sequence. Raises UsageError if the file makes none that can be sent.

    Lines end in CRLF, and Content-Length is that of the body (RFC 3261, 7 and 20.14).
    """
    try:
        lines = [line for line in path.read_text(encoding="utf-8").split("\n") if not line.startswith("#")]
    except (OSError, UnicodeDecodeError) as error:
        raise UsageError(f"{shown(path)} cannot be read as text: {error}.") from error
    if lines and not lines[-1]:
        del lines[-1]  # after the last end of a line
    results: list[tuple[str, str, list[str]]] = []
    for line in lines:
        if line.startswith((CALLER, CALLED)):
            results.append((line[:3], line[4:].strip(), []))
        elif results:
            results[-1][2].append(line)
    messages = tuple(Message(who == CALLER, what, _assembled(text)) for who, what, text in results)
    if not messages or not messages[0].from_caller:
        raise UsageError(f"{shown(path)} is no sequence: its first message, after a line with {CALLER}, is missing.")
    if bare := [message.name for message in messages if message.octets.startswith(b"\r\n")]:
        raise UsageError(
            f"{shown(path)}: {', '.join(bare)} has an empty line in place of the start line (RFC 3261, 7.1)."
        )
    return messages


def load_datagrams(path: Path) -> tuple[Message, ...]:
    """The messages of a sequence that go over UDP as they are. Raises UsageError as `load`, and where one is too long
    for a datagram."""
    messages = load(path)
    if long := [message.name for message in messages if len(message.octets) > MOST_OCTETS]:
        raise UsageError(f"{shown(path)}: {', '.join(long)} does not fit into a datagram of {MOST_OCTETS} octets.")
    return messages


def _assembled(lines: list[str]) -> bytes:
    head, body = lines, list[str]()
    if "" in lines:
        at = lines.index("")
        head, body = lines[:at], lines[at + 1 :]
    octets = "".join(f"{line}\r\n" for line in body).encode()
    return "".join(f"{line.replace('{length}', str(len(octets)))}\r\n" for line in head).encode() + b"\r\n" + octets
