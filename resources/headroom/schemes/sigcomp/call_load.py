# SPDX-License-Identifier: Apache-2.0
"""Calls through a P-CSCF: one engine, an endpoint that decompresses what users send and compresses what they are sent.
Another engine records the messages beforehand.

The job is one of the engine's command `load` with an endpoint. The default settings are those of maenpaa-2005 (a
master's thesis about SigComp; `./headroom list papers`), 11.1: the thesis's decompression memory for voice and for
video, a state memory of 131,072 octets, 32 cycles per bit, shared states of 500 octets, strings of the static
dictionary with priorities 1 to 3, calls of 180 s that are answered after 5 s, and a compartment for each call, closed
after it.
"""

import math
import re
import subprocess
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from headroom.bench.load import are_busy
from headroom.core import engine
from headroom.core.engine_result import EngineFailure
from headroom.core.errors import HeadroomError, UsageError
from headroom.core.implementations import Implementation
from headroom.core.machine.build import engine_program
from headroom.core.paths import DEFAULT_BUILD
from headroom.core.yamlfile import check, read
from headroom.schemes.sigcomp import endpoints
from headroom.schemes.sigcomp.endpoints import Endpoint
from headroom.schemes.sigcomp.sip import counted, sequences
from headroom.schemes.sigcomp.sip.sequences import Message

REGISTRATION = "3gpp-registration"
ANSWER = "200 OK to INVITE"
BYE = "BYE"
STATE_MEMORY = 131_072  # octets a compartment; maenpaa-2005, 8.12
CYCLES_PER_BIT = 32
OPTIONS = {"dictionary_priority": 3, "shared_length": 500}  # of those that have them
DECOMPRESSION_MEMORY = {"basic-voice-call": 4096}  # octets; maenpaa-2005, 11.1: 8192 for video
HOLDING_S = {"basic-voice-call": 180.0}  # likewise: 300 for video
# Keys of a job that the calls depend on.
OF_PRECOMPUTATION = (
    *("endpoint", "user", "call", "registration", "identities", "simultaneous", "users"),
    *("holding_s", "arrivals", "start", "warmup_s", "duration_s", "seed"),
)
PAUSE_S = 2.0  # of a user between two calls, in the engine's plan of calls
MOMENT_S = 0.1  # that the messages of a call take which is neither answered late nor held
MOST_FAILURES_NAMED = 5
HELP_S = 60  # time that the engine may take for its help
SHORT_CREATION_NS = 20_000_000  # of which nothing is said
PRECOMPUTE = "precompute"  # the engine's command

Organisation = Literal["pinned", "pool"]
Clock = Literal["virtual", "real"]
Edition = Literal["printed", "counted"]

# What belongs to one dialog or transaction, and not to a user for good, by where it stands in messages.
_OF_A_CALL = re.compile(
    r"(?im)^(?:Call-ID|i): *(?P<id>[^@\r\n]+)|;tag=(?P<tag>[^;\s>]+)|;branch=(?P<branch>[^;,\s]+)"
    r'|n?once="(?P<nonce>[^"]+)"|response="(?P<response>[^"]+)"|^o=\S+ (?P<session>\S+ \S+)'
)

# Where an engine's failure is of one message, and not of the whole job.
_OF_A_MESSAGE = re.compile(r"/(call|registration)/(\d+)")


class WrongCalls(HeadroomError):
    """Messages did not come out as they went in, or were not handled, under load or when calls are gone through
    beforehand. A failure of the implementation."""

    verdict = "fail"


class NothingServed(HeadroomError):
    """There is nothing to say anything of: too short a time, or too few calls."""

    verdict = "error"


@dataclass(frozen=True)
class Comparison:
    """Both organisations at the same load: trials that are simulated from what messages take in the run."""

    load: float  # of each worker
    trials: int
    calls: int  # that arrive in each


@dataclass(frozen=True)
class CallLoadConfig:
    """The configuration of a load. Times are seconds."""

    proxy: Implementation  # that is the P-CSCF
    user: Implementation
    sequence: str = "basic-voice-call"
    edition: Edition = "printed"  # or as maenpaa-2005 counted it: `headroom.schemes.sigcomp.sip.counted`
    simultaneous: int = 1000
    users: int = 0  # with compartments that are kept, registered beforehand; 0: one for each call
    holding_s: float | None = None  # None: that of maenpaa-2005 for the sequence
    answer_s: float = 5.0
    step_s: float = 0.02  # from one message of a call to the next: the way to the other side and back
    arrivals: Literal["poisson", "constant"] = "poisson"
    start: Literal["steady", "empty"] = "steady"
    warmup_s: float = 0.0
    duration_s: float = 10.0
    sample_s: float = 1.0
    consecutive: int = 0  # messages whose time in system is recorded; not with the real clock
    organisation: Organisation = "pinned"
    comparison: Comparison | None = None  # of organisations, beside the run; not with users nor the real clock
    workers: int = 1
    shards: int | None = None  # of a pool
    cores: tuple[int, ...] = ()
    clock: Clock = "virtual"
    mechanism: str = "shared"
    build: str = DEFAULT_BUILD
    seed: int = 1


@dataclass(frozen=True)
class OrganisationResult:
    """Times and loads of the calls with one organisation. Times are nanoseconds, loads shares of one core."""

    calls_per_s: float
    active_workers: float  # mean
    times: dict[str, dict[str, Any]]  # of all trials: in_system, in_buffer, processing, waiting_for_lock
    trials: list[dict[str, Any]] = field(repr=False)  # each with its `loads` and means of the times

    @property
    def loads(self) -> list[float]:
        """Mean load of a worker in each trial."""
        return [sum(trial["loads"]) / len(trial["loads"]) for trial in self.trials]

    def means(self, name: str) -> list[float]:
        """The mean of one of the times in each trial."""
        return [trial[f"{name}_ns"] for trial in self.trials]


@dataclass(frozen=True)
class CallLoadResult:
    """The result of a load. Times are nanoseconds, loads shares of one core, memory octets."""

    calls_in_progress: float  # mean of start and end
    calls_per_s: float
    messages_per_s: float
    sip_mbit_s: float
    link_mbit_s: float
    loads: list[float]  # of each worker, over the whole time
    most_load: float  # of any worker in any sample
    times: dict[str, dict[str, Any]]  # in_system, in_buffer, processing, decompressing, compressing …
    active: dict[str, float]  # workers: mean, seen, most
    unserved: int
    memory_per_call: float | None
    adapter_memory_per_compartment: float | None
    samples: list[dict[str, Any]] = field(repr=False)
    document: dict[str, Any] = field(repr=False)
    compared: dict[Organisation, OrganisationResult] = field(
        default_factory=dict, repr=False
    )  # where the configuration has one

    @property
    def load(self) -> float:
        """The load of all workers together, in cores."""
        return sum(self.loads)

    @property
    def simultaneous(self) -> int:
        """Calls in progress that the configuration requires."""
        return int(self.document["simultaneous"])

    @property
    def in_progress_at_end(self) -> int:
        return int(self.document["calls"]["in_progress_at_end"])

    @property
    def mean_in_system_ns(self) -> float:
        return float(self.times["in_system"]["mean"])


def holding_of(config: CallLoadConfig) -> float:
    """The holding time of calls, in seconds."""
    return HOLDING_S.get(config.sequence, 300.0) if config.holding_s is None else config.holding_s


def users_for(config: CallLoadConfig) -> int:
    """The number of users that make the configured number of simultaneous calls: a fifth more than calls, because calls
    begin at random, and more if calls are short compared with the pause of a user between two calls."""
    lasts_s = max(MOMENT_S, holding_of(config) + config.answer_s)
    pausing = config.simultaneous * PAUSE_S / lasts_s
    return config.simultaneous + max(config.simultaneous // 5, math.ceil(1.2 * pausing)) + 50


def messages(config: CallLoadConfig) -> list[dict[str, Any]]:
    """The messages of one call as the engine takes them. Raises UsageError for a sequence that is no whole call."""
    results: list[dict[str, Any]] = []
    answered = hung_up = False
    for message in _of_edition(config.sequence, config.edition):
        entry = _as_json(message)
        if message.name == BYE and not hung_up:
            entry["after_holding"] = hung_up = True
        elif message.name.startswith(ANSWER) and not answered:
            entry["pause_ms"], answered = config.answer_s * 1000, True
        elif results:
            entry["pause_ms"] = config.step_s * 1000
        results.append(entry)
    if not hung_up:
        raise UsageError(f"The sequence {config.sequence} has no {BYE}: the length of its calls is unknown.")
    return results


def _of_edition(sequence: str, edition: Edition) -> Sequence[Message]:
    """The messages of a sequence. Raises UsageError if there is none, or not in this edition."""
    return counted.load(sequence) if edition == "counted" else sequences.load(sequences.path_of(sequence))


def registration(edition: Edition = "printed") -> list[dict[str, Any]]:
    """The registration of a user. There is no compartment before the 200 OK that completes it, and 401 Unauthorized
    goes uncompressed (maenpaa-2005, chapter 10)."""
    results = []
    for message in _of_edition(REGISTRATION, edition):
        carried = "stranger" if message.from_caller else "plain" if message.name.startswith("401") else "compartment"
        results.append(_as_json(message) | {"carried": carried})
    return results


def _as_json(message: Message) -> dict[str, Any]:
    return {"from": "user" if message.from_caller else "core", "hex": message.octets.hex()}


@cache
def _known_identities(path: Path) -> tuple[dict[str, Any], ...]:
    return tuple(check(read(path), "sip-identities").data["identities"])


def identities(texts: Iterable[bytes]) -> list[dict[str, Any]]:
    """The identities that occur in messages, each of a user or of a call."""
    joined = b"\r\n".join(texts).decode()
    of_a_call = " ".join(group for match in _OF_A_CALL.finditer(joined) for group in match.groups() if group)
    results = []
    for entry in _known_identities(sequences.FOLDER / "identities.yaml"):
        if entry["text"] in joined:
            per = "call" if entry["text"] in of_a_call else "user"
            results.append({"text": entry["text"], "kind": entry["kind"], "keep": entry.get("keep", 0), "per": per})
    return results


def job(config: CallLoadConfig) -> dict[str, Any]:
    """The engine's job."""
    call = messages(config)
    registered = registration(config.edition) if config.users else []
    steps = [*call, *registered]
    result: dict[str, Any] = {
        "endpoint": endpoints.adapter(_proxy(config)),
        "user": endpoints.adapter(_user(config)),
        "call": call,
        "identities": identities(bytes.fromhex(step["hex"]) for step in steps),
        "simultaneous": config.simultaneous,
        "holding_s": holding_of(config),
        "arrivals": config.arrivals,
        "start": config.start,
        "warmup_s": config.warmup_s,
        "duration_s": config.duration_s,
        "sample_s": config.sample_s,
        "organisation": config.organisation,
        "workers": config.workers,
        "cores": list(config.cores),
        "clock": config.clock,
        "seed": config.seed,
    }
    if config.users:
        result |= {"users": config.users, "registration": registered}
    if config.consecutive:
        result["consecutive"] = config.consecutive
    if config.shards is not None:
        result["shards"] = config.shards
    if config.comparison:
        result["comparison"] = asdict(config.comparison)
    return result


def lacking(config: CallLoadConfig) -> str:
    """The reason why the implementations do not support these calls, as declared; "" if they do."""
    for end in (_proxy(config), _user(config)):
        if reason := endpoints.lacking(end):
            return reason
    if endpoints.wire(config.proxy) != endpoints.wire(config.user):
        return f"{config.proxy.name} and {config.user.name} do not have the same on the link"
    return ""


def _proxy(config: CallLoadConfig) -> Endpoint:
    return _end(config, config.proxy, compartments=max(config.users, round(config.simultaneous * 1.2)) + 1000)


def _user(config: CallLoadConfig) -> Endpoint:
    return _end(config, config.user, compartments=4)


def _end(config: CallLoadConfig, implementation: Implementation, compartments: int) -> Endpoint:
    offer = {
        "decompression_memory_size": DECOMPRESSION_MEMORY.get(config.sequence, 8192),
        "state_memory_size": STATE_MEMORY,
        "cycles_per_bit": CYCLES_PER_BIT,
        "compartments": compartments,
    }
    options = endpoints.fitting({"mechanism": config.mechanism, **OPTIONS}, implementation, config.build)
    return Endpoint(implementation, "udp", offer, offer, options, build=config.build)


def measure(config: CallLoadConfig, timeout_s: float | None = None) -> CallLoadResult:
    """Measures one run. Raises EngineFailure if an adapter crashes or hangs, WrongCalls if messages are restored
    wrongly.
    """
    if timeout_s is None:
        calls = config.simultaneous * 2 + config.users
        timeout_s = 120 + 2 * config.duration_s + calls * 0.05
    with precomputed(config, timeout_s) as job_of_load:
        return loaded(engine.run("load", job_of_load, timeout_s=timeout_s, build=config.build))


@contextmanager
def precomputed(config: CallLoadConfig, timeout_s: float) -> Iterator[dict[str, Any]]:
    """The engine's job with a recording of the messages, which another engine has made: what the adapter works out
    there does not help it when it is measured. Raises EngineFailure, or WrongCalls if messages are restored wrongly.
    """
    whole = job(config)
    if not _can_precompute(engine_program(config.build)):
        yield whole
        return
    with TemporaryDirectory(prefix="headroom-calls-") as folder:
        recording = str(Path(folder) / "recording")
        beforehand = {key: whole[key] for key in OF_PRECOMPUTATION if key in whole} | {"output": recording}
        try:
            made = engine.run(PRECOMPUTE, beforehand, timeout_s=timeout_s, build=config.build)
        except EngineFailure as failure:
            if match := _OF_A_MESSAGE.fullmatch(failure.where):
                raise WrongCalls(_wrong_message(config, failure.message, *match.groups())) from failure
            raise
        yield whole | {"recording": {"file": recording, "digests": made["digests"]}}


def _can_precompute(program: Path) -> bool:
    """False for an engine that a night has kept since before the command: it plays the calls itself. The engine is
    asked without any adapter, which could answer for it."""
    if not program.is_file():
        return True  # running the job tells that the engine is missing
    said = subprocess.run([program, "--help"], capture_output=True, text=True, check=False, timeout=HELP_S).stdout
    return re.search(rf"^ +{PRECOMPUTE}\b", said, re.MULTILINE) is not None


def _wrong_message(config: CallLoadConfig, sentences: str, part: str, number: str) -> str:
    """The sentence about a message of a call that went wrong before any load, with the command that shows it."""
    sequence = config.sequence if part == "call" else REGISTRATION
    message = _of_edition(sequence, config.edition)[int(number)]
    return (
        f"{message.name} of {sequence}: {sentences} `./headroom talk {sequence} --caller {config.user.word} --called "
        f"{config.proxy.word}` shows what goes between the two."
    )


def loaded(document: dict[str, Any]) -> CallLoadResult:
    """Reads the engine's document. Raises WrongCalls."""
    require_right(document)
    if not document["times"]["in_system_ns"]:
        raise NothingServed(
            "No message was done with in the time that was measured: ask for a longer one, or for more calls at once."
        )
    calls, sent, memory = document["calls"], document["messages"], document["memory"]
    ends = memory["octets_per_call_at_end"], memory["octets_per_call_at_start"]
    return CallLoadResult(
        calls_in_progress=(calls["in_progress_at_start"] + calls["in_progress_at_end"]) / 2,
        calls_per_s=calls["per_s"],
        messages_per_s=sent["per_s"],
        sip_mbit_s=sent["sip_mbit_s"],
        link_mbit_s=sent["link_mbit_s"],
        loads=[worker["busy_share"] for worker in document["workers"]],
        most_load=max((share for sample in document["samples"] for share in sample["busy_share"]), default=0.0),
        times={name.removesuffix("_ns"): result for name, result in document["times"].items() if result},
        active=document["active_workers"],
        unserved=sent["unserved"],
        memory_per_call=next((each for each in ends if each is not None), None),
        adapter_memory_per_compartment=memory["adapter_octets_per_compartment_at_end"],
        samples=document["samples"],
        document=document,
        compared=_compared(document),
    )


def _compared(document: dict[str, Any]) -> dict[Organisation, OrganisationResult]:
    comparison = document.get("comparison")
    if not comparison:
        return {}
    organisations: tuple[Organisation, ...] = ("pinned", "pool")
    return {
        name: OrganisationResult(
            calls_per_s=comparison["calls_per_s"],
            active_workers=comparison[name]["active_workers"],
            times={part.removesuffix("_ns"): result for part, result in comparison[name]["times"].items()},
            trials=comparison[name]["trials"],
        )
        for name in organisations
    }


def worked_beforehand(document: dict[str, Any]) -> str:
    """A sentence if the creation of the P-CSCF used more processor time than all measured messages; else ""."""
    times = document["times"]["processing_ns"]
    creation, processing = document.get("creation_cpu_ns", 0), times["mean"] * times["count"] if times else 0.0
    if creation < max(SHORT_CREATION_NS, processing):
        return ""
    return (
        f"The creation of the P-CSCF used {creation / 1e6:.0f} ms of processor time, and all measured messages used "
        f"{processing / 1e6:.0f} ms: what an adapter works out beforehand is in no figure."
    )


def require_right(document: dict[str, Any]) -> None:
    """Raises WrongCalls if a message was not handled or came out wrong, or if threads that are not measured used
    processor time."""
    others = document.get("other_threads_cpu_ns") or 0  # the kept engines of earlier nights do not report it
    measured = sum(worker.get("cpu_ns", 0) for worker in document["workers"])
    if are_busy(others, measured):
        raise WrongCalls(
            f"Under load, other threads of the adapter used {others / 1e6:.1f} ms of processor time, beside "
            f"{measured / 1e6:.1f} ms of the measured workers: adapters must not start threads."
        )
    outcomes = document["outcomes"]
    if not outcomes["failures"]:
        return
    sentences = [
        f"{count:,} {name} at {way}ing" for way in ("decompress", "compress") for name, count in outcomes[way].items()
    ]
    sentences += [
        f"{outcomes[name]:,} {text}"
        for name, text in (
            ("wrong", "decompressed to something else"),
            ("different", "compressed otherwise than when one user was alone"),
            ("refused", "not accepted under their compartment"),
        )
        if outcomes[name]
    ]
    raise WrongCalls(f"Messages went wrong under load: {'; '.join(sentences[:MOST_FAILURES_NAMED])}.")


def served_at(load: float, measured: Sequence[CallLoadResult]) -> float | None:
    """The number of calls that one core serves at a load, in proportion to the load per call in progress of the runs;
    None if the clock measured no load."""
    taken = sum(result.load for result in measured)
    return load * sum(result.calls_in_progress for result in measured) / taken if taken else None


def most_in_progress(simultaneous: int) -> float:
    """Calls in progress beyond which workers have fallen behind: more than chance explains (Little's theorem gives
    their mean, and their number is as Poisson's), and a tenth."""
    return 1.1 * simultaneous + 6 * math.sqrt(simultaneous)
