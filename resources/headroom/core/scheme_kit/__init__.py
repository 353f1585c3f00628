# SPDX-License-Identifier: Apache-2.0
"""What schemes build their parts of: the runner of cells, minimising, signatures, evidence, replays of one side."""
