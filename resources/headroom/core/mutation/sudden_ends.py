# SPDX-License-Identifier: Apache-2.0
"""The reference with wrong outputs that also ends the process, or disturbs it, somewhere in an adapter's life.

No verdict may become milder by that. implementations/reference/ending_adapter.cc has places and ways.
"""

import random
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from headroom.core.errors import EnvironmentLacks
from headroom.core.mutation.hunt import Outcome, Task
from headroom.core.mutation.wrong_outputs import WrongOutput
from headroom.core.paths import build_folder

LIBRARY = "lib/ending/reference.so"
PLACES = (
    *("loaded", "described", "extended", "created", "called", "drained", "asked"),
    *("reversed", "returned", "counted", "controlled", "destroyed", "exiting", "unloaded"),
)
WAYS = (
    *("exits-0", "exits-1", "leaves-0", "leaves-1", "leaves-3", "leaves-127", "leaves-130"),
    *("signal-9", "signal-11", "signal-14", "signal-15", "claims-0", "claims-1", "blames-0", "blames-3"),
    *("complains-1", "shuts-0", "shuts-1", "shuts-3", "executes", "throws", "mute", "thread"),
    *("forks-0", "starves", "later-0"),
)


@dataclass(frozen=True)
class SuddenEnd:
    """A wrong output, and a way to end the process at a place, such as `exits-0` and `created`."""

    wrong: WrongOutput
    place: str
    way: str

    @property
    def name(self) -> str:
        """The name of the implementation, and of its library, which reads place and way there."""
        return f"{self.place}-{self.way}"


def choose(wrong: WrongOutput, seed: int) -> list[SuddenEnd]:
    """Returns an end for each place, no two of them in the same way; the seed chooses."""
    ways = random.Random(f"{seed}/{wrong}").sample(WAYS, len(PLACES))
    return [SuddenEnd(wrong, place, way) for place, way in zip(PLACES, ways, strict=True)]


def ask(end: SuddenEnd, cases: Sequence[str], hunt: Callable[[Task], Outcome], build_name: str) -> Outcome:
    """Runs cases on the reference with a wrong output that ends early.

    Raises EnvironmentLacks if its library is not built, HeadroomError if the cases cannot be run.
    """
    library = build_folder(build_name) / LIBRARY
    if not library.is_file():
        raise EnvironmentLacks(f"Sudden ends are not built (target adapter_reference_ending of {build_name}).")
    with tempfile.TemporaryDirectory(prefix="headroom-ends-") as folder:
        copy = shutil.copy(library, Path(folder) / f"{end.name}.so")
        return hunt(
            Task(
                end.name,
                "",
                end.wrong.side,
                str(copy),
                build_name,
                folder,
                cases=list(cases),
                options={"wrong": {"output": end.wrong.output, "change": end.wrong.change}},
                scheme=end.wrong.scheme,
                to_the_end=True,
            )
        )
