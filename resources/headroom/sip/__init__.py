# SPDX-License-Identifier: Apache-2.0
"""SIP messages for signalling compression: sequences as a publication counted them, and calls of other people's."""
