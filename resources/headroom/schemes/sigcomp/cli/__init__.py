# SPDX-License-Identifier: Apache-2.0
"""The commands of SigComp: `./headroom talk` and `./headroom udvm`."""
