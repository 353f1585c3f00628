# SPDX-License-Identifier: Apache-2.0
"""Items of state and the compartments that keep them (RFC 3320, 6; RFC 4896, 3.3, 5 and 6)."""

import hashlib
from dataclasses import dataclass, field
from functools import cache, cached_property

from headroom.core.errors import UsageError
from headroom.core.paths import VECTORS, shown
from headroom.schemes.sigcomp.judge.message import Parameters, RequestedFeedback
from headroom.schemes.sigcomp.judge.reasons import DecompressionFailure, Reason

ITEM_COST = 64  # octets of state memory besides the value: 6.2
LOCAL_PRIORITY = 65535
SHORTEST, LONGEST = 6, 20  # octets of a partial identifier: 9.4.5
DICTIONARIES = {"sip-sdp": "rfc3485", "presence": "rfc5112"}


@dataclass(frozen=True)
class Item:
    """An item of state: 3.3.3."""

    value: bytes
    address: int = 0
    instruction: int = 0
    minimum_access_length: int = SHORTEST

    @cached_property  # looked at with each STATE-ACCESS, which may cost no more than two cycles
    def identifier(self) -> bytes:
        """SHA-1 of length, address, instruction, minimum access length and value: 9.4.9."""
        numbers = (len(self.value), self.address, self.instruction, self.minimum_access_length)
        return hashlib.sha1(b"".join(n.to_bytes(2, "big") for n in numbers) + self.value).digest()


@cache
def dictionary(name: str) -> Item:
    """Locally available state: "sip-sdp" (RFC 3485) or "presence" (RFC 5112)."""
    path = VECTORS / "sigcomp" / "dictionaries" / f"{DICTIONARIES[name]}.hex"
    try:
        return Item(bytes.fromhex(path.read_text(encoding="ascii")))
    except (OSError, ValueError) as error:
        raise UsageError(f"{shown(path)} is no dictionary in hexadecimal: {error}.") from error


@dataclass(frozen=True)
class Creation:
    """A request to create state, its octets as they are when the message ends (RFC 4896, 4.1)."""

    item: Item
    priority: int


@dataclass(frozen=True)
class Free:
    """A request to free state."""

    partial: bytes


@dataclass
class Compartment:
    """The state of one compartment. `kept`: items with their priority, the oldest first."""

    state_memory_size: int
    kept: list[tuple[Item, int]] = field(default_factory=list)
    to_return: bytes = b""
    returned: bytes = b""
    requested: RequestedFeedback | None = None
    parameters: Parameters = field(default_factory=Parameters)
    announced: list[bytes] = field(default_factory=list)
    refuses_state: bool = False

    @property
    def used(self) -> int:
        return sum(len(item.value) + ITEM_COST for item, _ in self.kept)

    @property
    def size(self) -> int:
        """State memory that there is now: none after an S-bit (9.4.9)."""
        return 0 if self.refuses_state else self.state_memory_size


class States:
    """All items of an endpoint: the locally available ones and those of its compartments."""

    def __init__(self, local: tuple[Item, ...] = ()) -> None:
        self.local = {item.identifier: item for item in local}
        self.compartments: dict[int, Compartment] = {}
        self.found: set[bytes] = set()  # identifiers of items that messages have referred to

    def open(self, number: int, state_memory_size: int) -> None:
        self.compartments[number] = Compartment(state_memory_size)

    def items(self) -> dict[bytes, Item]:
        """Everything that there is, by identifier."""
        kept = {item.identifier: item for c in self.compartments.values() for item, _ in c.kept}
        return self.local | kept

    def find(self, partial: bytes) -> Item:
        """The item of a partial identifier. Raises DecompressionFailure if there is no such item, if there are several,
        or if the identifier is shorter than the item's minimum access length (RFC 4077, 3.2).
        """
        items = [item for identifier, item in self.items().items() if identifier.startswith(partial)]
        if len(items) > 1:
            raise DecompressionFailure(Reason.ID_NOT_UNIQUE, partial)
        if not items or len(partial) < items[0].minimum_access_length:
            raise DecompressionFailure(Reason.STATE_NOT_FOUND, partial)
        self.found.add(items[0].identifier)
        return items[0]

    def apply(
        self,
        number: int,
        requests: list[Creation | Free],
        requested: RequestedFeedback | None,
        returned: bytes,
        parameters: Parameters | None,
    ) -> None:
        """Carries out a message's requests, once its compartment is known, in the order of 9.4.9."""
        compartment = self.compartments[number]
        for request in requests:
            if isinstance(request, Creation):
                self._create(compartment, request)
            else:
                self._free(compartment, request.partial)
        if requested is not None:
            compartment.requested, compartment.to_return = requested, requested.item
            compartment.refuses_state = requested.s
            if requested.s:
                compartment.kept.clear()
        if parameters is not None:
            compartment.parameters = parameters
            compartment.announced += [octets for octets in parameters.announced if octets not in compartment.announced]
        if returned:
            compartment.returned = returned

    def _create(self, compartment: Compartment, request: Creation) -> None:
        """The steps of 6.2."""
        if compartment.size == 0:
            return
        given = request.item
        item = Item(
            given.value[: compartment.size - ITEM_COST], given.address, given.instruction, given.minimum_access_length
        )
        if self.items().get(item.identifier, item) != item:
            return  # another item has that identifier
        compartment.kept = [(entry, priority) for entry, priority in compartment.kept if entry != item]
        while compartment.used + len(item.value) + ITEM_COST > compartment.size:
            lowest = min(compartment.kept, key=lambda entry: -1 if entry[1] == LOCAL_PRIORITY else entry[1])
            compartment.kept.remove(lowest)
        compartment.kept.append((item, request.priority))

    @staticmethod
    def _free(compartment: Compartment, partial: bytes) -> None:
        """RFC 4896, 3.3: only in this compartment, whatever the minimum access length; not when it is ambiguous."""
        results = [pair for pair in compartment.kept if pair[0].identifier.startswith(partial)]
        if len(results) == 1:
            compartment.kept.remove(results[0])
