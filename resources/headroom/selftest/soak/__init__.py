# SPDX-License-Identifier: Apache-2.0
"""`./headroom test --soak HOURS`: the same proofs for hours, in turns, and what they counted."""
