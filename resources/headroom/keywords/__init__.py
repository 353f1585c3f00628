# SPDX-License-Identifier: Apache-2.0
"""Robot Framework libraries: thin methods over the package's functions.

The .resource files of resources/keywords name them.
"""
