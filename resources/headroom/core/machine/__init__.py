# SPDX-License-Identifier: Apache-2.0
"""What the machine is, has and does: topology, load, environment, builds."""
