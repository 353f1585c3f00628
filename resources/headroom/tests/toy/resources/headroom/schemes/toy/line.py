# SPDX-License-Identifier: Apache-2.0
"""Its line."""

from headroom.schemes.toy.judge import Follower, Sessions

from headroom.core.scheme_kit.line import Line

LINE = Line(
    "toy",
    {"sessions": 16},
    follower=lambda channel: Follower(),
    receiver=lambda channel: Sessions().restore,
    requirement=lambda arrival: "TOYDRAFT-2-2",
)
