# SPDX-License-Identifier: Apache-2.0
"""A trial over the containers of docker/compose.yaml, and its verdict: `python3 -m headroom.testbed.container_trial`.

It is the program of the service `harness`. It sees only a folder that it shares with the generator, with the pipe
through which that gets trials, and in it those with the control sockets of the other containers. It needs only Python
and the reader of profiles.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from headroom.core import profiles
from headroom.core.errors import EXIT_FAILED, EXIT_PASSED, HeadroomError, UsageError
from headroom.testbed.bridge_noise import strays_in
from headroom.testbed.processes import ask

FOLDER = Path("/run/headroom")
WATCHED = ("compressor", "link", "decompressor")
LOOK_S = 0.5  # seconds between two checks that all roles live
SILENT_S = 3.0  # seconds after which a role that does not answer is dead
PATIENCE_S = 30.0  # seconds beyond a trial's own time


class TrialFailed(HeadroomError):
    """Raised if there is no result, with the reason."""


@dataclass(frozen=True)
class TrialOptions:
    """The configuration of a trial, from the environment."""

    profile: str = "voip-amr-nb-ipv6"
    flows: int = 10
    rate_pps: float = 1000.0
    seconds: float = 5.0
    seed: int = 1
    subnet: str = "10.77"

    @staticmethod
    def of(environment: dict[str, str]) -> TrialOptions:
        """The options from variables. Raises UsageError for a value that is not a number."""
        plain = TrialOptions()
        options: dict[str, Any] = {}
        for name, variable in (("flows", "FLOWS"), ("rate_pps", "RATE"), ("seconds", "SECONDS"), ("seed", "SEED")):
            kind = type(getattr(plain, name))
            text = environment.get(f"HEADROOM_{variable}", "")
            try:
                options[name] = kind(text) if text else getattr(plain, name)
            except ValueError:
                raise UsageError(f"HEADROOM_{variable} is '{text}', which is not a number.") from None
        for name in ("profile", "subnet"):
            options[name] = environment.get(f"HEADROOM_{name.upper()}") or getattr(plain, name)
        return TrialOptions(**options)

    def job(self) -> dict[str, Any]:
        """The generator's job; its ports are those of docker/compose.yaml, by address."""
        return {
            "ports": [{"interface": f"{self.subnet}.0.2"}, {"interface": f"{self.subnet}.3.2"}],
            "profile": profiles.load(self.profile),
            "flows": self.flows,
            "seed": self.seed,
            "rate_pps": self.rate_pps,
            "duration_s": self.seconds,
            "idle": "sleep",
        }


def run(options: TrialOptions, folder: Path = FOLDER) -> dict[str, Any]:
    """Makes one trial. Returns the generator's result, and the other roles' statistics at the end.

    Raises TrialFailed if there is none, as soon as that is known.
    """
    name = f"trial-{os.getpid()}"
    (folder / f"{name}.job").write_text(json.dumps(options.job()), encoding="utf-8")
    result = folder / f"{name}.result"
    try:
        _tell(folder / "trials", name)
        _wait(result, folder, options.seconds + PATIENCE_S)
        document = _read(result, folder / f"{name}.log")
    finally:
        for path in folder.glob(f"{name}.*"):
            path.unlink(missing_ok=True)
    return {"generator": document, **{role: ask(folder / role / f"{role}.sock") for role in WATCHED}}


def _tell(pipe: Path, name: str) -> None:
    try:
        descriptor = os.open(pipe, os.O_WRONLY | os.O_NONBLOCK)  # not blocking: the generator must be listening
        try:
            os.write(descriptor, f"{name}\n".encode())
        finally:
            os.close(descriptor)
    except OSError as error:
        raise TrialFailed(f"The generator does not listen at {pipe}: {error.strerror}.") from error


def _wait(result: Path, folder: Path, patience_s: float) -> None:
    began = time.monotonic()
    heard = dict.fromkeys(WATCHED, began)
    while not result.exists():
        now = time.monotonic()
        for role in WATCHED:
            with contextlib.suppress(OSError, ValueError):
                ask(folder / role / f"{role}.sock", LOOK_S)
                heard[role] = time.monotonic()
            if now - heard[role] > SILENT_S:
                raise TrialFailed(f"The {role} does not answer any more.")
        if now - began > patience_s:
            raise TrialFailed(f"The generator has given no result after {patience_s:g} s.")
        time.sleep(LOOK_S)


def _read(result: Path, log: Path) -> dict[str, Any]:
    text = result.read_text(encoding="utf-8", errors="replace")
    try:
        document = json.loads(text)
    except ValueError:
        lines = log.read_text(encoding="utf-8", errors="replace").strip().splitlines() if log.exists() else []
        raise TrialFailed(f"The generator gave no result: {lines[-1] if lines else 'it gave no reason'}.") from None
    if "error" in document:
        raise TrialFailed(f"The generator: {document['error'].get('message', 'it gave no reason')}")
    return document


def shortcomings(generated: dict[str, Any]) -> list[str]:
    """The reasons why a trial does not pass, one sentence each; the link is assumed to lose nothing.

    `behindhand` reports a generator that fell behind.
    """
    sentences = []
    for direction in ("forward", "reverse"):
        if not (counts := generated.get(direction)):
            continue
        if not counts["sent"]:
            sentences.append(f"{direction}: nothing was sent.")
        if counts["lost"]:
            sentences.append(
                f"{direction}: {counts['lost']} of {counts['sent']} packets did not arrive as they were sent."
            )
        if unexpected := counts["unexpected"] - strays_in(counts):
            sentences.append(f"{direction}: {unexpected} packets arrived that were never sent.")
    return sentences or ([] if generated.get("forward") else ["There is no result of any direction."])


def behindhand(generated: dict[str, Any]) -> list[str]:
    """Directions in which the generator fell behind, which says nothing about the nodes."""
    return [
        f"{direction}: the generator sent {counts['achieved_pps'] or 0:.0f} of {counts['requested_pps']:.0f} packets/s."
        for direction in ("forward", "reverse")
        if (counts := generated.get(direction)) and counts["fell_behind"]
    ]


def main() -> int:
    try:
        document = run(TrialOptions.of(dict(os.environ)))
    except HeadroomError as error:
        print(f"harness: {error}", file=sys.stderr)
        return error.exit_code
    wrong, late = shortcomings(document["generator"]), behindhand(document["generator"])
    found = wrong + late
    verdict = "fail" if wrong else "error" if late else "pass"
    print(json.dumps(document | {"verdict": verdict, "reasons": found}))
    for sentence in found:
        print(f"harness: {sentence}", file=sys.stderr)
    return EXIT_FAILED if found else EXIT_PASSED


if __name__ == "__main__":
    sys.exit(main())
