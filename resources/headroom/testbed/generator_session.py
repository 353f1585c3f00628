# SPDX-License-Identifier: Apache-2.0
"""The embedded generator as one process for many trials: `headroom-engine serve`, whose ports stay open.

Starting the engine with its ports takes a second or two, in a container more, and a search has dozens of trials.
"""

import contextlib
import os
import subprocess
from pathlib import Path
from typing import Any, Self

from headroom.core import process_group
from headroom.core.engine_result import EngineFailure
from headroom.core.errors import EnvironmentLacks
from headroom.core.machine.build import engine_program, require_engine
from headroom.core.sandbox import Walls
from headroom.testbed.processes import STOP_S, Service
from headroom.testbed.topology import Topology
from headroom.testbed.trex.pipe import Pipe, PipeFailure, Refusal

PATIENCE_S = 30.0  # seconds beyond a trial's own time: an engine has to start, and an overloaded one to end
COMMAND = "serve"
ENGINE_KINDS = ("job", "input", "output")  # kinds of errors that the engine reports, and EngineFailure has, too


class GeneratorSession:
    """Carries out jobs of `generate` and `call` at the generator's place; the first one starts the process.

    Use as a context manager. All jobs have the ports, the MTU and the core of the first one.
    """

    def __init__(self, topology: Topology) -> None:
        self.topology = topology
        self._pipe: Pipe | None = None
        self._service: Service | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def __call__(self, command: str, job: dict[str, Any]) -> dict[str, Any]:
        """The document of a job. Raises EngineFailure, also as soon as another process of the topology dies."""
        self.topology.look()
        seconds = sum(float(job[name]) for name in ("warmup_s", "duration_s", "drain_s"))
        pipe = self._pipe or self._start()
        whole = {"idle": self.topology.allotment.idle("generator")} | job
        try:
            document = pipe.call(command, seconds + PATIENCE_S, **whole)
        except Refusal as refusal:
            kind = refusal.exception if refusal.exception in ENGINE_KINDS else "refused"
            raise EngineFailure(kind, f"The generator: {refusal}") from refusal  # type: ignore[arg-type]
        except PipeFailure as failure:
            self.close()  # a late answer would be taken for the next one
            raise EngineFailure("timeout", str(failure)) from failure
        if not isinstance(document, dict):
            raise EngineFailure("garbage", "The generator's answer is not a JSON object.")
        return document

    def _start(self) -> Pipe:
        place, crew = self.topology.seats["generator"].place, self.topology.crew
        program = engine_program(crew.build) if place.engine else require_engine(crew.build)
        memory = None if place.engine else process_group.memory_limit(program, 4)  # generator, two nodes, link
        walls = None if place.engine else Walls((str(crew.folder),), ports=True, memory=memory)
        arguments = [*(place.engine or (str(program),)), COMMAND]
        log = crew.folder / "generator.log"
        name = f"The generator ({program.name} {COMMAND} in {place.name})"
        try:
            self._pipe = Pipe(arguments, name, log, watched=[crew.check], walls=walls, place=place.words)
        except OSError as error:
            raise EnvironmentLacks(f"{[*place.words, *arguments][0]} cannot be started: {error.strerror}.") from error
        self._service = crew.adopt(
            "generator", self._pipe.process, _readable(log), COMMAND, place, Path(program.name), memory
        )
        return self._pipe

    def close(self) -> None:
        """Ends the process: it ends by itself at the end of its input, wherever it is."""
        if self._pipe is None or self._service is None:
            return
        self._service.stopping = True
        with process_group.uninterrupted():
            if not self._service.still:
                self._pipe.finish()
                with contextlib.suppress(subprocess.TimeoutExpired):
                    self._pipe.process.wait(STOP_S)
            self.topology.crew.end(self._service)
            self._pipe.close()
        self._pipe = self._service = None


def _readable(log: Path) -> int:
    return os.open(log, os.O_RDONLY | os.O_CLOEXEC)
