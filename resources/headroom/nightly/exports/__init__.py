# SPDX-License-Identifier: Apache-2.0
"""The results of nights, in the formats of other programs."""

from headroom.nightly.exports import junit, openmetrics, sqlite

# The writers by the name of their option: each writes a history to a path.
WRITERS = {"openmetrics": openmetrics.write, "junit": junit.write, "sqlite": sqlite.write}
