# SPDX-License-Identifier: Apache-2.0
"""SIP messages: the sequences as printed, as a publication counted them, and calls of other people's."""
