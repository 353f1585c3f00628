# SPDX-License-Identifier: Apache-2.0
"""The history of measurements: one value of each series a night, and the detection of changes."""
