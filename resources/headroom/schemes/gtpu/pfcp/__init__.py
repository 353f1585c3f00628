# SPDX-License-Identifier: Apache-2.0
"""PFCP, the protocol of N4: 3GPP TS 29.244. Builds and reads messages, right ones and wrong ones."""
