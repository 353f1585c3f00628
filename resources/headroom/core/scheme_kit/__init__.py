# SPDX-License-Identifier: Apache-2.0
"""Building blocks of schemes: the runner of cells, minimising, signatures, evidence, replays of one side."""
