# SPDX-License-Identifier: Apache-2.0
"""The HTML report: reads result records and nothing else."""
