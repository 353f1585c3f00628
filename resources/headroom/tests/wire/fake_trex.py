# SPDX-License-Identifier: Apache-2.0
"""A stand-in for a TRex installation: a server that listens and can be told to die, and a client that answers.

What it cannot show is what TRex itself does; test_real_trex.py is for that.
"""

from __future__ import annotations

import stat
import sys
from pathlib import Path

VERSION = "v3.08"

SERVER = """#!{python}
import json, os, pathlib, signal, socket, sys, time
here = pathlib.Path(__file__).resolve().parent
if "--help" in sys.argv:
    print("blah\\n Version : {version}   \\n DPDK version : x")
    sys.exit(0)
assert pathlib.Path.cwd() == here, "the server only works from its own folder"
(here / "arguments.json").write_text(json.dumps(sys.argv[1:]))
(here / "settings.yaml").write_text(pathlib.Path(sys.argv[sys.argv.index("--cfg") + 1]).read_text())
(here / "pid").write_text(str(os.getpid()))
signal.signal(signal.SIGINT, lambda *_: (print("closed in order", flush=True), sys.exit(0)))
if (here / "fail").exists():
    print("ERROR no such port", flush=True)
    sys.exit(3)
prefix = json.loads((here / "settings.yaml").read_text())[0]["prefix"]
pathlib.Path("/var/run/dpdk", prefix).mkdir(parents=True)
print(" core, c-port\\n ------\\n 1        0      0", flush=True)
door = socket.create_server(("", 4501))
while True:
    time.sleep(0.05)
    if (here / "die").exists():
        print("the last thing it did", flush=True)
        os.kill(os.getpid(), signal.SIGSEGV)
"""

CLIENT = """
import json, os, pathlib, time
here = pathlib.Path(os.environ["TREX_EXT_LIBS"]).parent
print("the client prints what it likes")

class TRexError(Exception):
    pass

class StatNotAvailable:
    pass

class Stream:
    def __init__(self, packets):
        self.fields = {"mode": {"total_pkts": packets} if packets else {}}

class STLProfile:
    def __init__(self, streams):
        self.streams = streams

    @staticmethod
    def load(path, direction=0, port_id=0, tunables=()):
        print("so do profiles")
        if "no-such" in path:
            raise TRexError("\\x1b[31mno such profile\\x1b[0m: " + path)
        if "--help" in tunables:
            raise SystemExit(0)
        return STLProfile([Stream(5), Stream(7), Stream(0)])

    @staticmethod
    def from_json(streams):
        return STLProfile([Stream(one) for one in streams])

    def get_streams(self):
        return self.streams

class STLClient:
    def __init__(self, **settings):
        self.settings, self.calls = settings, []

    def connect(self):
        if self.settings["server"] == "nowhere":
            raise TRexError("nobody is there")

    def is_connected(self):
        return True

    def get_all_ports(self):
        return [0, 1]

    def get_server_version(self):
        return {"version": "v3.08", "build_date": "today", "mode": "STL"}

    def get_port_attr(self, port):
        return {"driver": "net_af_packet", "src_mac": "02:00:00:00:00:0%d" % port}

    def ping_rpc_server(self):
        if (here / "hang").exists():
            time.sleep(600)
        return {"ts": 1.5}

    def get_active_ports(self):
        return []

    def get_warnings(self):
        return []

    def get_stats(self, sync_now):
        return {
            0: {"opackets": 10, "rate": float("nan")},
            1: {"opackets": StatNotAvailable()},
            "flow_stats": {7: {"tx_pkts": {"total": 3}}},
            "latency": {},
        }

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)

        def called(*words, **arguments):
            with open(here / "calls.jsonl", "a") as file:
                file.write(json.dumps([name, arguments], default=str) + "\\n")

        return called
"""


def install(folder: Path, version: str = VERSION) -> Path:
    """Puts the stand-in into a folder; returns what TREX_ROOT is to be."""
    api = folder / "automation" / "trex_control_plane" / "interactive" / "trex" / "stl" / "api.py"
    api.parent.mkdir(parents=True)
    (folder / "external_libs").mkdir()
    for package in (api.parent, api.parent.parent):
        (package / "__init__.py").write_text("")
    api.write_text(CLIENT)
    program = folder / "_t-rex-64"
    program.write_text(SERVER.format(python=sys.executable, version=version))
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return folder
