# SPDX-License-Identifier: Apache-2.0
"""`./headroom test --soak HOURS`: the same tests for hours, in turns, and their counts."""
