# SPDX-License-Identifier: Apache-2.0
"""Parts that schemes are built of: the runner of cells, minimising, signatures, evidence, replays of one side."""
