# SPDX-License-Identifier: GPL-2.0-or-later
"""SIP calls over UDP, as sessions (ASTF): the message sequences of maenpaa-2005, appendix C (traffic-profiles/sip).

Each call is a UDP flow to port 5060; a message is sent when all before it have arrived, and BYE after the holding
time. Messages are plain SIP at both ends.

    trex> start -f …/traffic-profiles/trex/sip_3gpp.py -t --sequence 3gpp-video-call --cps 10 --holding-time 1
"""

import argparse
import os

from trex.astf.api import (
    ASTFAssociationRule,
    ASTFIPGen,
    ASTFIPGenDist,
    ASTFIPGenGlobal,
    ASTFProfile,
    ASTFProgram,
    ASTFTCPClientTemplate,
    ASTFTCPServerTemplate,
    ASTFTemplate,
)

SEQUENCES = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "sip")
PORT = 5060
CALLER, CALLED = ">>>", "<<<"  # what the line before a message begins with: who sends it
SILENCE_MS = 20000  # without a message a call is given up, holding time apart


def read_sequence(name):
    """[(CALLER or CALLED, what it is, octets)] of a sequence.

    Lines end in CRLF, and Content-Length is that of the body (RFC 3261, 7 and 20.14).
    """
    path = name if os.path.sep in name else os.path.join(SEQUENCES, name + ".txt")
    if not os.path.isfile(path):
        known = sorted(one[:-4] for one in os.listdir(SEQUENCES) if one.endswith(".txt"))
        raise ValueError(f"there is no sequence {path}; there are {', '.join(known)}.")
    with open(path, encoding="utf-8") as file:
        lines = [line.rstrip("\n") for line in file if not line.startswith("#")]
    messages = []
    for line in lines:
        if line.startswith((CALLER, CALLED)):
            messages.append((line[:3], line[4:], []))
        elif messages:
            messages[-1][2].append(line)
    return [(who, what, assembled(text)) for who, what, text in messages]


def assembled(lines):
    head, body = lines, []
    if "" in lines:
        at = lines.index("")
        head, body = lines[:at], lines[at + 1 :]
    octets = "".join(line + "\r\n" for line in body).encode()
    return "".join(line.format(length=len(octets)) + "\r\n" for line in head).encode() + b"\r\n" + octets


def program(messages, sender, holding_s):
    """What one side does: it waits until all that the other has to say before a message has arrived, then sends it."""
    made = ASTFProgram(stream=False)
    made.set_keepalive_msg(int(SILENCE_MS + 1000 * holding_s))
    heard = 0  # since the last message of its own
    for who, what, octets in messages:
        if who != sender:
            heard += 1
            continue
        if heard:
            made.recv_msg(heard)  # TRex adds these up itself
            heard = 0
        if sender == CALLER and what == "BYE" and holding_s:
            made.delay(int(1e6 * holding_s))
        made.send_msg(octets)
    if heard:
        made.recv_msg(heard)
    return made


class Sip3gpp:
    def get_profile(self, tunables=(), **other):
        parser = argparse.ArgumentParser(
            description="SIP calls", formatter_class=argparse.ArgumentDefaultsHelpFormatter
        )
        parser.add_argument("--sequence", default="3gpp-video-call", help="a file of traffic-profiles/sip, or a path")
        parser.add_argument("--cps", type=float, default=1.0, help="calls a second")
        parser.add_argument("--holding-time", type=float, default=1.0, help="seconds between ACK and BYE")
        parser.add_argument("--callers", type=int, default=254, help="addresses that call, from 16.0.0.1 on")
        return self.make(parser.parse_args(list(tunables)))

    def make(self, given):
        messages = read_sequence(given.sequence)
        last = f"16.0.{given.callers // 256}.{given.callers % 256}"
        addresses = ASTFIPGen(
            glob=ASTFIPGenGlobal(ip_offset="1.0.0.0"),
            dist_client=ASTFIPGenDist(ip_range=["16.0.0.1", last], distribution="seq"),
            dist_server=ASTFIPGenDist(ip_range=["48.0.0.1", "48.0.0.254"], distribution="seq"),
        )
        calling = ASTFTCPClientTemplate(
            program=program(messages, CALLER, given.holding_time), ip_gen=addresses, cps=given.cps, port=PORT
        )
        called = ASTFTCPServerTemplate(
            program=program(messages, CALLED, given.holding_time), assoc=ASTFAssociationRule(port=PORT)
        )
        template = ASTFTemplate(client_template=calling, server_template=called)
        return ASTFProfile(default_ip_gen=addresses, templates=template)


def register():
    return Sip3gpp()
