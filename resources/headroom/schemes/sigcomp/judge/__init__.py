# SPDX-License-Identifier: Apache-2.0
"""A SigComp endpoint's decompressor made from the RFCs alone (3320, 4077, 4896), as the first judge of messages.

It shares nothing with any implementation. It is slow and says everything: output, cycles, requests, reasons of failure.
`tshark` is the second judge.
"""
