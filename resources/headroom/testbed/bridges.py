# SPDX-License-Identifier: Apache-2.0
"""The host's ends of a Compose project's networks: bridges that send nothing by themselves, and forward packets
unchanged.

Docker makes the kernel's packet filter look at bridged packets (`net.bridge.bridge-nf-call-iptables`). Its rules of
address translation then match packets that only look as if they came from one of its networks: 172.17.0.1 is a UPF in
one of our profiles, and Docker's own bridge on most machines. Packets that the kernel does not track stay unchanged.
Settings that this user may not change stay as they are. Source: iptables-extensions(8), CT and comment.
"""

import contextlib
import os
import shlex
import shutil
import subprocess
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path

from headroom.core import process_group

FILTERS = ("iptables", "ip6tables")
ANSWER_S = 10.0


def settle(project: str, networks: Iterable[str]) -> list[str]:
    """Makes the bridges of networks, given by their numbers, silent and transparent. May be called again.

    Returns warnings for readers of results, if that could not be done.
    """
    wrong: dict[str, None] = {}
    for network in networks:
        bridge = f"br-{network[:12]}"
        with contextlib.suppress(OSError):
            Path(f"/proc/sys/net/ipv6/conf/{bridge}/disable_ipv6").write_text("1\n", encoding="ascii")
        for program in FILTERS:
            rule = ("-i", bridge, "-m", "comment", "--comment", project, "-j", "CT", "--notrack")
            if not _run(program, "-C", "PREROUTING", *rule)[0] and not _run(program, "-A", "PREROUTING", *rule)[0]:
                wrong[program] = None
    return [_lacking(program) for program in wrong if program == FILTERS[0]]  # over IPv6, our packets are not changed


def _lacking(program: str) -> str:
    if os.geteuid() != 0:
        why = f"only root may say otherwise ({program} -t raw)"
    elif shutil.which(program) is None:
        why = f"{program} is not installed (apt-get install iptables)"
    else:
        why = f"{program} takes no rule of its table raw"
    return (
        f"the kernel tracks what the bridges between the containers pass, for {why}: Docker's address translation may "
        "change packets that look as if they came from one of its networks, as those of 172.17.0.0/16 in profiles do"
        + ("; and what bridges send of their own counts as arrivals for TRex" if os.geteuid() != 0 else "")
        + "."
    )


def forget(project: str) -> None:
    """Removes the rules that `settle` has made for a project."""
    for program in FILTERS:
        is_done, rules = _run(program, "-S", "PREROUTING")
        for line in rules.splitlines() if is_done else ():
            arguments = shlex.split(line)
            if arguments[:1] == ["-A"] and ("--comment", project) in pairwise(arguments):
                _run(program, "-D", *arguments[1:])


def _run(program: str, *arguments: str) -> tuple[bool, str]:
    """Runs a command about the table `raw`. Returns True if it succeeded, and its output."""
    try:
        process = subprocess.run(
            [*process_group.words(), program, "-w", "5", "-t", "raw", *arguments],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=ANSWER_S,
            start_new_session=True,
        )
    except (OSError, subprocess.TimeoutExpired):
        return False, ""
    return process.returncode == 0, process.stdout
