# SPDX-License-Identifier: Apache-2.0
"""Named arguments of a conversation between two endpoints: those of `Send Sequence` and of `./headroom talk`."""

import json
import re
from typing import Any

from headroom.core.errors import UsageError
from headroom.core.options import split_names
from headroom.core.run.run import Run
from headroom.schemes.sigcomp import messages
from headroom.schemes.sigcomp.endpoints import LIMITS, TRANSPORTS, VALUES, generous
from headroom.schemes.sigcomp.sip import calls, sequences

LINK_SHARES = ("loss", "ber", "duplicate")  # of both directions of a link between endpoints


def conversation(sequence: str, named: dict[str, str], run: Run) -> messages.ConversationConfig:
    """A SIP sequence between two endpoints, from named arguments: those of `Send Sequence`.

    Raises UsageError for an argument that is not valid. Only the implementation checks its own options.
    """
    named = dict(named)
    people = named.pop("people", "printed")
    if people not in ("printed", "others"):
        raise UsageError(f"people are printed or others, not '{people}'.")
    transport = named.pop("transport", TRANSPORTS[0])
    if transport not in TRANSPORTS:
        raise UsageError(f"The transport is {' or '.join(TRANSPORTS)}, not '{transport}'.")
    printed = people == "printed"
    results = sequences.load(sequences.path_of(sequence)) if printed else calls.call(sequence, run.seed).messages
    link = {name: _share(name, named.pop(name)) for name in LINK_SHARES if name in named}
    dropped = _dropped(named.pop("drop", ""), sum(message.from_caller for message in results))
    offered = {name: _offered(name, named.pop(name)) for name in LIMITS if name in named}
    offer = generous(run.compressor, run.decompressor) | offered
    return messages.ConversationConfig(
        messages=messages.conversation(results),
        a=run.compressor,
        b=run.decompressor,
        transport=transport,
        offer=offer,
        a_to_b={**link, "drop": dropped} if dropped else dict(link),
        b_to_a=dict(link),
        nacks=_is_yes("nacks", named.pop("nacks", "yes")),
        seed=run.seed,
        build=run.build,
        options={name: _option(name, value) for name, value in named.items()},
    )


def _is_yes(name: str, text: str) -> bool:
    """True for yes, False for no. Raises UsageError for another word."""
    if text not in ("yes", "no"):
        raise UsageError(f"{name} must be yes or no, not '{text[:200]}'.")
    return text == "yes"


def _offered(name: str, text: str) -> int:
    """Reads the value of a parameter that endpoints offer. Raises UsageError with the allowed values."""
    if not re.fullmatch("[0-9]{1,9}", text) or int(text) not in VALUES[name]:
        *most, last = map(str, VALUES[name])
        raise UsageError(f"{name} must be {', '.join(most)} or {last}, not '{text[:200]}'.")
    return int(text)


def _dropped(text: str, sent: int) -> list[int]:
    """Numbers from 0 of the caller's messages that the link drops. Raises UsageError for one that is not sent."""
    for entry in (result := split_names(text)):
        if not re.fullmatch("[0-9]{1,9}", entry):
            raise UsageError(f"drop must be numbers of messages such as 0,3, not '{text}'.")
        if int(entry) >= sent:
            raise UsageError(
                f"drop={text} is impossible: there is no message {entry}. The caller sends {sent} in this sequence, "
                f"numbered from 0 to {sent - 1}."
            )
    return [int(text) for text in result]


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
        raise UsageError(f"{name} must be a share between 0 and 1, not '{text}'.")
    return share
