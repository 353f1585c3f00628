# SPDX-License-Identifier: Apache-2.0
"""Keywords that compare the judge's and tshark's readings of a link between two nodes with the sent packets."""

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

RATE_PPS, SECONDS = 300.0, 1.0  # a low rate, so that no packet is lost for want of a core
MOST_FINDINGS = 20
FEW = 0.5  # least share of the sent packets on the link; fewer are no evidence
CODECS: dict[str, Codec] = {"compressed": "asked", "as it is": "bridge"}


@library
class CaptureKeywords:
    """Runs a short, slow trial over network namespaces with a capture of the link, and compares readings of the
    capture.
    """

    topologies = ("netns",)  # topologies whose link keeps a capture

    @keyword("All Decoders Should Agree On The Link")
    def all_decoders_agree(self, scheme: str, profile: str, sent: str, mode: str, flows: int) -> None:
        """Compares all readings of a link. SENT is `compressed`, or `as it is`, through nodes that forward frames
        unchanged. Each packet that the judge restores must have been sent; tshark must read the same on the link and
        inside, where it can.
        """
        run, channel = run_and_channel(scheme, profile, sent, mode, flows)
        with tempfile.TemporaryDirectory(prefix="headroom-link-") as folder:
            capture = (artefact_folder() or Path(folder)) / "link.pcapng"
            with line(run, configuration("1c").cpus, CODECS[sent], profile, flows, channel, capture) as running_line:
                trial = running_line.trial(RATE_PPS, SECONDS)
                running_line.captured()
                collector.current().traffic = traffic(running_line.topology, trial)
            packets = {way: rendered(run, profile, flows, trial, way, Path(folder)) for way in ("forward", "reverse")}
            comparison = on_the_link.look(capture, packets, dict(channel.hints))
        note(comparison, trial)
        judge(comparison, sum(map(len, packets.values())))
        capture.unlink(missing_ok=True)  # evidence of nothing


def run_and_channel(scheme: str, profile: str, sent: str, mode: str, flows: int) -> tuple[Run, Channel]:
    """Records a row's configuration and returns it. Skips the case if run, machine or implementation cannot do it."""
    if sent not in CODECS:
        raise ValueError(f"'{sent}' is not one of {', '.join(CODECS)}")
    run = current_run()
    # The engine's generator, whose packets are known octet by octet.
    run = replace(run, settings=replace(run.settings, generator="memory"))
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
    if not tshark.is_available():
        raise SkipExecution("tshark is not installed, and no other decoder reads the link (apt-get install tshark).")
    if CODECS[sent] == "asked":
        require_declared(run, channel)
    return run, channel


def rendered(run: Run, profile: str, flows: int, trial: Trial, way: str, folder: Path) -> list[bytes]:
    """The packets that the generator sent in a direction, including the warm-up: `render` makes the same ones."""
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
    return [packet.octets for packet in reading.read(folder / f"{way}.pcap")]


def note(comparison: on_the_link.LinkComparison, trial: Trial) -> None:
    """Writes a comparison to the result record."""
    current = collector.current()
    current.parameters["on_the_link"] = dict(comparison.on_the_link)
    current.metric(metrics.PACKETS_READ_ALIKE, comparison.on_the_link["agree"])
    current.metric(metrics.PACKETS_READ_ALIKE_INSIDE, comparison.inside)
    current.metric(metrics.VALUES_READ_ALIKE, comparison.values)
    current.metric(metrics.NEVER_ON_THE_LINK, comparison.missing)
    current.metric(metrics.LOST(), trial.lost)
    current.findings += [Finding(sentence, judge="tshark") for sentence in comparison.wrong[:MOST_FINDINGS]]


def judge(comparison: on_the_link.LinkComparison, sent: int) -> None:
    """Fails the case if decoders disagree, and ends it with an error if they read too few packets."""
    if comparison.wrong:
        raise AssertionError(f"{len(comparison.wrong)} differences: {some(comparison.wrong, 3)}")
    if comparison.inside < FEW * sent:
        raise RuntimeError(f"Only {comparison.inside} of {sent} packets were on the link: too few for a verdict.")
