# SPDX-License-Identifier: Apache-2.0
"""The reference with one kind of its outputs changed in one way, which the conformance suites must notice.

A mutant is one defect in the sources, and one case that finds it is enough. Here every output of a kind is wrong, so
each case about these outputs must notice. A case that passes all the same is about others, or checks nothing.
implementations/reference/wrong_output.h lists outputs and changes.
"""

import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from headroom.core import implementations
from headroom.core.errors import EnvironmentLacks
from headroom.core.mutation.hunt import Outcome, Task
from headroom.core.paths import IMPLEMENTATIONS, build_folder

LIBRARY = "lib/wrong_outputs/reference.so"
SIDES = {"compressed": "compressor", "decompressed": "decompressor", "reverse": "decompressor"}
WHOLE = ("endpoint", "user-plane")  # roles that are both sides of a run


@dataclass(frozen=True)
class WrongOutput:
    """A change of an output of a scheme's reference, such as `doubled` of `decompressed`."""

    scheme: str
    output: str
    change: str

    @property
    def side(self) -> str:
        """The role that has the output."""
        roles = implementations.load(IMPLEMENTATIONS / "reference").declared(self.scheme)["roles"]
        return next((role for role in WHOLE if role in roles), None) or SIDES[self.output]


def ask(wrong: WrongOutput, hunt: Callable[[Task], Outcome], build_name: str, suites: Sequence[str] = ()) -> Outcome:
    """Runs every case of a scheme's conformance suites, or of some suites, on the reference with a wrong output.

    Raises EnvironmentLacks if its library is not built, HeadroomError if the suites cannot be run.
    """
    library = build_folder(build_name) / LIBRARY
    if not library.is_file():
        raise EnvironmentLacks(f"Wrong outputs are not built (target adapter_reference_wrong_outputs of {build_name}).")
    with tempfile.TemporaryDirectory(prefix="headroom-wrong-") as folder:
        return hunt(
            Task(
                f"{wrong.output}-{wrong.change}",
                "",
                wrong.side,
                str(library),
                build_name,
                folder,
                suites=list(suites),
                options={"wrong": {"output": wrong.output, "change": wrong.change}},
                scheme=wrong.scheme,
                to_the_end=True,
            )
        )
