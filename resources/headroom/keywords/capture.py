# SPDX-License-Identifier: Apache-2.0
"""Keywords that look at what was on a link between two nodes: the judge, tshark and the sender should say the same."""

import tempfile
from dataclasses import replace
from pathlib import Path

from robot.api import SkipExecution
from robot.api.deco import keyword

from headroom.core import engine, metrics, profiles, tshark
from headroom.core.captures import reading
from headroom.core.finding import Finding
from headroom.core.results import collector
from headroom.core.run.run import Run
from headroom.core.text import some
from headroom.core.workload import Channel
from headroom.decode import on_the_link
from headroom.keywords import verdicts
from headroom.keywords.artefacts import artefact_folder
from headroom.keywords.base import current_run, library
from headroom.keywords.forwarding import channel_of, require_declared
from headroom.keywords.load import configuration
from headroom.testbed import choice
from headroom.testbed.line import Codec, line
from headroom.testbed.sender import traffic
from headroom.testbed.trial import Trial

RATE_PPS, SECONDS = 300.0, 1.0  # slow, so that nothing is lost for want of a core
MOST_FINDINGS = 20
FEW = 0.5  # of what was sent: fewer packets on the link than that are no evidence
CODECS: dict[str, Codec] = {"compressed": "asked", "as it is": "bridge"}


@library
class CaptureKeywords:
    """A short, slow trial over network namespaces with a capture of the link, and who reads what in it."""

    topologies = ("netns",)  # where the link keeps a capture

    @keyword("All Decoders Should Agree On The Link")
    def all_decoders_agree(self, scheme: str, profile: str, sent: str, mode: str, flows: int) -> None:
        """SENT is `compressed`, or `as it is`: through nodes that pass frames on. The judge restores every packet, and
        what it restores is what was sent; tshark reads the same on the link, wherever it can, and inside."""
        run, channel = run_and_channel(scheme, profile, sent, mode, flows)
        with tempfile.TemporaryDirectory(prefix="headroom-link-") as folder:
            capture = (artefact_folder() or Path(folder)) / "link.pcapng"
            with line(run, configuration("1c").cpus, CODECS[sent], profile, flows, channel, capture) as made:
                trial = made.trial(RATE_PPS, SECONDS)
                made.captured()
                collector.current().traffic = traffic(made.made, trial)
            packets = {way: rendered(run, profile, flows, trial, way, Path(folder)) for way in ("forward", "reverse")}
            found = on_the_link.look(capture, packets, dict(channel.hints))
        note(found, trial)
        judge(found, sum(map(len, packets.values())))
        capture.unlink(missing_ok=True)  # evidence of nothing


def run_and_channel(scheme: str, profile: str, sent: str, mode: str, flows: int) -> tuple[Run, Channel]:
    """Records a row's configuration and returns it; skips the case if run, machine or implementation cannot do it."""
    if sent not in CODECS:
        raise ValueError(f"'{sent}' is none of {', '.join(CODECS)}")
    run = current_run()
    run = replace(run, settings=replace(run.settings, generator="memory"))  # its packets are known octet by octet
    channel = channel_of(run, scheme, mode, 1)
    current = collector.current()
    current.traffic = choice.traffic(run)
    current.parameters |= {
        "kind": "on_the_link",
        "compressor": run.settings.compressor,
        "decompressor": run.settings.decompressor,
        "scheme": scheme,
        "profile": profile,
        "build": run.build,
        "sent": sent,
        **channel.parameters,
        "topology": run.topology,
        "flows": flows,
        "rate_pps": RATE_PPS,
    }
    verdicts.note_sides(run)
    choice.require(run.topology, run.build)
    if run.topology != "netns":
        raise SkipExecution(f"The link of {run.topology} keeps no capture on this machine: use --topology netns.")
    if not tshark.available():
        raise SkipExecution("tshark is not installed, and no other decoder reads the link (apt-get install tshark).")
    if CODECS[sent] == "asked":
        require_declared(run, channel)
    return run, channel


def rendered(run: Run, profile: str, flows: int, trial: Trial, way: str, folder: Path) -> list[bytes]:
    """The packets that the generator sent in a direction, what warmed up included: the same that `render` makes."""
    counts = trial.raw[way]
    job = {
        "profile": profiles.load(profile),
        "flows": flows,
        "seed": run.seed,
        "packets": int(counts["sent"]) + int(counts["warmup"]["sent"]),
        "reverse": way == "reverse",
        "output": str(folder / f"{way}.pcap"),
    }
    engine.run("render", job, build=run.build)
    return [one.octets for one in reading.read(folder / f"{way}.pcap")]


def note(found: on_the_link.LinkComparison, trial: Trial) -> None:
    """Leaves what was found for the result record."""
    current = collector.current()
    current.parameters["on_the_link"] = dict(found.on_the_link)
    current.metric(metrics.PACKETS_READ_ALIKE, found.on_the_link["agree"])
    current.metric(metrics.PACKETS_READ_ALIKE_INSIDE, found.inside)
    current.metric(metrics.VALUES_READ_ALIKE, found.values)
    current.metric(metrics.NEVER_ON_THE_LINK, found.missing)
    current.metric(metrics.LOST(), trial.lost)
    current.findings += [Finding(sentence, judge="tshark") for sentence in found.wrong[:MOST_FINDINGS]]


def judge(found: on_the_link.LinkComparison, sent: int) -> None:
    """Ends the case where decoders disagree, or where there was too little to read."""
    if found.wrong:
        raise AssertionError(f"{len(found.wrong)} differences: {some(found.wrong, 3)}")
    if found.inside < FEW * sent:
        raise RuntimeError(f"Only {found.inside} of {sent} packets were on the link: too few to say anything.")
