#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""Drives a TRex server for programs that must not import TRex's client: JSON-RPC 2.0, one object a line, over a pipe.

TRex's Python client is under the GPL (it is built on Scapy), and importing it puts its own old copies of yaml, zmq and
scapy before all others. So it lives in this process, and a caller writes one line per request:

    {"jsonrpc": "2.0", "id": 1, "method": "connect", "params": {"mode": "stl"}}

and reads a line, {"jsonrpc": "2.0", "id": 1, "result": {...}} or {"jsonrpc": "2.0", "id": 1, "error": {"code": -32000,
"message": "a sentence", "data": {"exception": "TRexError"}}}. Every exception becomes such an error; only `quit`, the
end of the input and a signal end the process. What the client prints goes to stderr.

    usage: agent.py CLIENT_FOLDER     (…/scripts/automation/trex_control_plane/interactive)

Python 3.10 to 3.12: TRex's own copies of libraries do not work with later ones.
"""

import json
import os
import re
import sys
import time
import traceback

PARSE_ERROR, INVALID_REQUEST, NO_SUCH_METHOD, INVALID_PARAMETERS, FAILED = -32700, -32600, -32601, -32602, -32000


class WrongRequest(Exception):
    """The line cannot be carried out as it stands: `code` says in JSON-RPC's numbers why."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Agent:
    """The methods of the pipe. `stl` and `astf` give TRex's two modules when they are first needed."""

    def __init__(self):
        self.client = None
        self.mode = None

    # -- connection ---------------------------------------------------------------------------------------------------

    def connect(self, mode="stl", server="127.0.0.1", sync_port=4501, async_port=4500, timeout_s=5, promiscuous=False):
        """Connects to a server, takes its ports and clears what an earlier client left there.

        `promiscuous`: ports take packets for other addresses than theirs as well (stl).
        """
        self._leave()
        if mode == "stl":
            from trex.stl.api import STLClient as Client
        elif mode == "astf":
            from trex.astf.api import ASTFClient as Client
        else:
            raise WrongRequest(INVALID_PARAMETERS, f"mode is 'stl' or 'astf', not {mode!r}.")
        client = Client(
            server=server, sync_port=sync_port, async_port=async_port, verbose_level="error", sync_timeout=timeout_s
        )
        client.connect()
        self.client, self.mode = client, mode
        client.acquire(force=True)
        client.reset()
        if promiscuous:
            client.set_port_attr(promiscuous=True)
        return self.describe()

    def describe(self):
        """The server's version and its ports."""
        client = self._connected()
        version = client.get_server_version()
        return {
            "version": version.get("version"),
            "build_date": version.get("build_date"),
            "mode": version.get("mode"),
            "ports": [self._port(client, number) for number in client.get_all_ports()],
        }

    @staticmethod
    def _port(client, number):
        attributes = client.get_port_attr(number)
        keys = ("driver", "link", "speed", "src_mac", "layer_mode", "dest")
        return dict({key: str(attributes.get(key)) for key in keys}, port=number)

    def ping(self):
        """Checks that the server answers; returns its clock in seconds."""
        return {"server_time_s": self._connected().ping_rpc_server().get("ts")}

    # -- what is sent: streams (STL) ----------------------------------------------------------------------------------

    def load(self, port, profile, tunables=None):
        """Replaces what a port sends by the streams of a profile file, made for the port's direction."""
        from trex.stl.api import STLProfile

        client = self._connected("stl")
        loaded = STLProfile.load(
            profile, direction=port % 2, port_id=port, tunables=[str(word) for word in tunables or []]
        )
        if loaded is None:
            raise WrongRequest(INVALID_PARAMETERS, f"the profile {profile} made no streams: --help is no tunable here.")
        return self._replace(client, port, loaded.get_streams())

    def streams(self, port, streams):
        """Replaces what a port sends by streams as JSON, in the form that TRex's console exports."""
        from trex.stl.api import STLProfile

        return self._replace(self._connected("stl"), port, STLProfile.from_json(streams).get_streams())

    @staticmethod
    def _replace(client, port, streams):
        """Puts streams in the place of a port's; says how many, and the packets of those that end by themselves."""
        client.remove_all_streams(ports=[port])
        client.add_streams(streams, ports=[port])
        bursts = [stream.fields["mode"].get("total_pkts", 0) for stream in streams]
        return {"streams": len(streams), "packets": sum(bursts)}

    def start(self, ports, multiplier="1", duration_s=-1):
        """Starts the streams of ports; `multiplier` as TRex has it: "10000pps" is the rate of each port."""
        self._connected("stl").start(ports=ports, mult=str(multiplier), duration=duration_s, force=True)
        return {"started_at_s": time.monotonic()}

    def push(self, captures, gap_us, source_mac=False, destination_mac=False):
        """Sends captures, {"port": "file.pcap"}, a packet every `gap_us` microseconds. The server reads the files."""
        client = self._connected("stl")
        for port, capture in sorted(captures.items()):
            client.push_remote(
                capture,
                ports=[int(port)],
                ipg_usec=float(gap_us),
                count=1,
                src_mac_pcap=source_mac,
                dst_mac_pcap=destination_mac,
            )
        return {"started_at_s": time.monotonic()}

    def active(self, ports=None):
        """The ports that still send."""
        active = self._connected().get_active_ports()
        return {"active": [port for port in active if ports is None or port in ports]}

    def stop(self, ports=None, drain_ms=None):
        """Stops the traffic of ports that still send; what is under way is waited for `drain_ms`."""
        client = self._connected()
        if self.mode == "astf":
            client.stop()
            client.stop_latency()
            return {}
        client.stop(ports=ports, rx_delay_ms=drain_ms)
        return {}

    # -- what is sent: sessions (ASTF) --------------------------------------------------------------------------------

    def astf_load(self, profile, tunables=None):
        """Loads a profile of sessions in the place of the one before."""
        client = self._connected("astf")
        client.clear_profile()
        client.load_profile(profile, tunables={"tunables": [str(word) for word in tunables or []]})
        return {}

    def astf_start(self, multiplier=1, duration_s=-1, latency_pps=0, ipv6=False):
        """Starts sessions, `multiplier` times as many a second as the profile says."""
        self._connected("astf").start(mult=multiplier, duration=duration_s, latency_pps=latency_pps, ipv6=ipv6)
        return {"started_at_s": time.monotonic()}

    # -- what came of it ----------------------------------------------------------------------------------------------

    def clear(self):
        """Sets all statistics to zero."""
        self._connected().clear_stats()
        return {}

    def stats(self):
        """Counters of ports, streams and latency; of sessions, where there are any."""
        client = self._connected()
        found = client.get_stats(sync_now=True)
        known = client.get_all_ports()
        answer = {
            "ports": {number: found[number] for number in known if number in found},
            "total": found.get("total", {}),
            "global": found.get("global", {}),
        }
        if self.mode == "stl":
            answer["streams"] = found.get("flow_stats", {})
            answer["latency"] = found.get("latency", {})
        else:
            answer["sessions"] = found.get("traffic", {})
            answer["latency"] = found.get("latency", {})
        return answer

    def events(self):
        """Returns, and clears, the warnings and errors that the server has sent unasked."""
        client = self._connected()
        told = [str(event) for event in client.get_warnings()]
        client.clear_events()
        return {"warnings": told}

    # -- the end ------------------------------------------------------------------------------------------------------

    def _leave(self):
        client, self.client = self.client, None
        if client is not None and client.is_connected():
            client.disconnect(stop_traffic=True, release_ports=True)

    def quit(self):
        """Stops what is sent, lets go of the server and ends this process."""
        self._leave()
        return {}

    def _connected(self, mode=None):
        if self.client is None:
            raise WrongRequest(INVALID_REQUEST, "connect to a server first.")
        if mode is not None and mode != self.mode:
            raise WrongRequest(INVALID_REQUEST, f"this needs a server in {mode} mode; connected in {self.mode}.")
        return self.client


METHODS = [
    "connect",
    "describe",
    "ping",
    "load",
    "streams",
    "start",
    "push",
    "active",
    "stop",
    "astf_load",
    "astf_start",
    "clear",
    "stats",
    "events",
    "quit",
]


def plain(value):
    """A value as JSON can have it. TRex says "not available" with an object of its own, which becomes null."""
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [plain(one) for one in value]
    if isinstance(value, (bool, int, str)) or value is None:
        return value
    if isinstance(value, float):
        return value if value == value and abs(value) != float("inf") else None
    return None if type(value).__name__ == "StatNotAvailable" else str(value)


def read_request(line):
    """(id, method, parameters) of a line. Raises WrongRequest."""
    try:
        request = json.loads(line)
    except ValueError as error:
        raise WrongRequest(PARSE_ERROR, f"this line is no JSON: {error}.") from error
    if not isinstance(request, dict) or not isinstance(request.get("method"), str):
        raise WrongRequest(INVALID_REQUEST, 'a request is an object with a "method".')
    parameters = request.get("params", {})
    if not isinstance(parameters, dict):
        raise WrongRequest(INVALID_PARAMETERS, '"params" is an object: parameters have names here.')
    return request.get("id"), request["method"], parameters


def carry_out(agent, method, parameters):
    if method not in METHODS:
        raise WrongRequest(NO_SUCH_METHOD, "there is no method {!r}; there are {}.".format(method, ", ".join(METHODS)))
    function = getattr(agent, method)
    taken = function.__code__.co_varnames[1 : function.__code__.co_argcount]
    needed = taken[: len(taken) - len(function.__defaults__ or ())]
    unknown, missing = set(parameters) - set(taken), set(needed) - set(parameters)
    if unknown or missing:
        wrong = [f"{name} is unknown" for name in sorted(unknown)] + [f"{name} is missing" for name in sorted(missing)]
        raise WrongRequest(INVALID_PARAMETERS, "{}: {}.".format(method, "; ".join(wrong)))
    return function(**parameters)


def answer(agent, line):
    """The reply to one line, and whether it was the last one."""
    identity, method = None, None
    try:
        identity, method, parameters = read_request(line)
        result = plain(carry_out(agent, method, parameters))
    except WrongRequest as error:
        return failure(identity, error.code, str(error), type(error).__name__), False
    # Every exception of the client, SystemExit included, becomes a reply: a profile may call sys.exit.
    except (Exception, SystemExit) as error:
        traceback.print_exc(file=sys.stderr)
        return failure(identity, FAILED, said_by(error), type(error).__name__), method == "quit"
    return {"jsonrpc": "2.0", "id": identity, "result": result}, method == "quit"


def failure(identity, code, message, exception):
    return {
        "jsonrpc": "2.0",
        "id": identity,
        "error": {"code": code, "message": message, "data": {"exception": exception}},
    }


def said_by(error):
    """An exception's words without the colours that TRex gives them, and without the traceback of a profile."""
    text = re.sub(r"\x1b\[[0-9;]*m", "", str(error)).strip()
    if text.startswith("Python Traceback follows"):
        text = text.splitlines()[-1]
    return text or type(error).__name__


def serve(requests, replies, agent):
    """Answers line by line until `quit` or the end of the input, in which case the server is let go of as well."""
    for line in requests:
        if not line.strip():
            continue
        reply, last = answer(agent, line)
        replies.write(json.dumps(reply) + "\n")
        replies.flush()
        if last:
            return
    agent.quit()


def main(words):
    if len(words) != 1 or not os.path.isdir(os.path.join(words[0], "trex")):
        sys.stderr.write("usage: agent.py CLIENT_FOLDER, the folder that holds TRex's Python package `trex`.\n")
        return 2
    # The pipe is ours alone: what the client, its libraries or a profile print goes to stderr.
    replies = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    sys.path.insert(0, words[0])
    serve(sys.stdin, replies, Agent())
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
