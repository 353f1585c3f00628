# SPDX-License-Identifier: Apache-2.0
"""Keywords about two user planes: --compressor names that at the base station, --decompressor that at the data
network."""

from __future__ import annotations

from robot.api import SkipExecution
from robot.api.deco import keyword

from headroom.core import capabilities
from headroom.core.capabilities import NotDeclared
from headroom.core.errors import UsageError
from headroom.core.results import collector
from headroom.keywords import verdicts
from headroom.keywords.base import current_run, library
from headroom.schemes.gtpu import chain, user_plane
from headroom.schemes.gtpu.conformance.check import Check
from headroom.schemes.gtpu.conversation import Conversation, Facts
from headroom.schemes.gtpu.scheme import SCHEME

ROLE = "user-plane"


@library
class UserPlaneInteropKeywords:
    """Packets go through two user planes, one after the other."""

    @keyword("User Planes Should Interwork")
    def interwork(self, name: str) -> None:
        """A story of `schemes.gtpu.chain` by its name. A finding is about the user plane that did something wrong."""
        if name not in chain.STORIES:
            raise UsageError(f"There is no story '{name}' of two user planes. Known: {', '.join(chain.STORIES)}.")
        run, one = current_run(), chain.STORIES[name]
        if run.topology != "process":
            raise SkipExecution("Two user planes run with --topology process.")
        verdicts.note_sides(run)
        for _, found in run.sides:
            capabilities.require(found, ROLE, SCHEME, run.build, features=[*chain.NEEDED, *one.features])
            if not Facts.of(found).n4:
                raise NotDeclared(f"{found.name} does not declare n4.")
        collector.current().parameters |= {"kind": "chain", "story": name}
        first, second = (Facts.of(found) for _, found in run.sides)
        with (
            user_plane.of_implementation(run.compressor, first.config(), run.build) as near,
            user_plane.of_implementation(run.decompressor, chain.second_config(second), run.build) as far,
        ):
            told = chain.Chain(Conversation(near, first), Conversation(far, second), (Check(), Check()))
            told.first.associate()
            told.second.associate()
            one.tell(told)
            near.end()
            far.end()
        for (role, _), check in zip(run.sides, told.checks, strict=True):
            verdicts.conclude(check.findings, role)
