# SPDX-License-Identifier: Apache-2.0
"""A small git repository with an adapter that copies, in which a delay is planted; each commit builds in a second."""

from __future__ import annotations

import json
import shutil
import subprocess
from dataclasses import dataclass, replace
from pathlib import Path

from headroom.core import implementations
from headroom.core.paths import ROOT
from headroom.nightly.binaries import BinaryStore
from headroom.nightly.checkout import Checkout
from headroom.nightly.measurer import EngineMeasurer

PRESET = "gcc-O2"
ADAPTER = """
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "headroom.h"
struct headroom_instance {{ unsigned sum; }};
static size_t put(char *to, size_t room, const char *text) {{
  const size_t length = strlen(text);
  if (length < room) memcpy(to, text, length + 1);
  return length;
}}
static size_t describe(char *json, size_t room) {{ return put(json, room, {description}); }}
static headroom_instance *create(int32_t role, const char *config, char *error, size_t room) {{
  (void)role, (void)config, (void)error, (void)room;
  return calloc(1, sizeof(headroom_instance));
}}
static void destroy(headroom_instance *self) {{ free(self); }}
static size_t copy(headroom_instance *self, headroom_packet *p, size_t count, uint64_t now, headroom_detail *d) {{
  (void)now, (void)d;
  for (size_t i = 0; i < count; ++i) {{
    for (volatile unsigned n = 0; n < {delay}; ++n) self->sum += n;
    p[i].status = p[i].in_length > p[i].out_capacity ? HEADROOM_ERR_NO_SPACE : HEADROOM_OK;
    p[i].out_length = p[i].status == HEADROOM_OK ? p[i].in_length : 0;
    memcpy(p[i].out, p[i].in, p[i].out_length);
  }}
  return count;
}}
static size_t statistics(const headroom_instance *self, char *json, size_t room) {{
  (void)self;
  return put(json, room, "{{\\"memory_bytes\\": 16, \\"contexts\\": 0}}");
}}
static const headroom_api api = {{
    .abi_version = HEADROOM_ABI_VERSION, .struct_size = sizeof(headroom_api), .describe = describe, .create = create,
    .destroy = destroy, .compress = copy, .decompress = copy, .statistics = statistics}};
HEADROOM_EXPORT const headroom_api *headroom_implementation(void) {{ return &api; }}
/* {remark} */
"""
DESCRIPTION = {
    "name": "planted",
    "version": "1",
    "build": "",
    "licence": "Apache-2.0",
    "schemes": [
        {
            "scheme": "rohc",
            "roles": ["compressor", "decompressor"],
            "profiles": ["0x0000", "0x0001"],
            "modes": ["U"],
            "cids": ["large"],
            "max_cid": 16383,
            "max_channels": 65536,
            "feedback": [],
            "names": {
                "packet_types": [],
                "modes": [],
                "compressor_states": [],
                "decompressor_states": [],
                "events": [],
            },
        }
    ],
}
CMAKE = """
cmake_minimum_required(VERSION 3.20)
project(planted C)
add_library(planted MODULE adapter.c)
target_include_directories(planted PRIVATE ${CMAKE_SOURCE_DIR})
set_target_properties(planted PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib)
"""
PRESETS = {
    "version": 3,
    "configurePresets": [
        {"name": PRESET, "generator": "Ninja", "binaryDir": "${sourceDir}/build/" + PRESET,
         "cacheVariables": {"CMAKE_BUILD_TYPE": "Release"}}
    ],
}  # fmt: skip


def source(delay: int, remark: str) -> str:
    return ADAPTER.format(delay=delay, remark=remark, description=json.dumps(json.dumps(DESCRIPTION)))


@dataclass
class PlantedRepository:
    """The repository, and its commits by number."""

    root: Path
    commits: list[str]

    def commit(self, text: str, message: str) -> str:
        (self.root / "adapter.c").write_text(text, encoding="utf-8")
        self.git("add", "-A")
        self.git("commit", "--quiet", "--allow-empty", "-m", message)
        self.commits.append(self.git("rev-parse", "HEAD"))
        return self.commits[-1]

    def git(self, *words: str) -> str:
        identity = ["-c", "user.name=test", "-c", "user.email=test@example.com", "-c", "commit.gpgsign=false"]
        return subprocess.run(
            ["git", "-C", str(self.root), *identity, *words], check=True, capture_output=True, text=True
        ).stdout.strip()


def repository(folder: Path) -> PlantedRepository:
    """An empty repository with what every commit needs."""
    folder.mkdir()
    made = PlantedRepository(folder, [])
    made.git("init", "--quiet", "--initial-branch", "main")
    shutil.copy(ROOT / "implementations" / "abi" / "headroom.h", folder)
    (folder / "CMakeLists.txt").write_text(CMAKE, encoding="utf-8")
    (folder / "CMakePresets.json").write_text(json.dumps(PRESETS), encoding="utf-8")
    (folder / ".gitignore").write_text("build/\n", encoding="utf-8")
    return made


def measurer(made: PlantedRepository, folder: Path) -> EngineMeasurer:
    """A measurer of that adapter, with this project's engine."""
    found = EngineMeasurer(
        "null",
        PRESET,
        BinaryStore(folder / "binaries"),
        Checkout(folder / "checkout", made.root),
        folder / "runs",
        wait_s=0,
    )
    null = implementations.null()
    capabilities = [one for one in null.capabilities if one["scheme"] == "rohc"]
    found._found = replace(null, name="planted", library="{build}/lib/planted.so", capabilities=capabilities)
    found.implementation = "planted"
    return found
