# SPDX-License-Identifier: Apache-2.0
"""What is compressed, one package per scheme: its judge, its cases, its keywords and its part of the report."""
