# SPDX-License-Identifier: Apache-2.0
"""The command line: thin commands over the package's functions.

Each command is a module; heavy imports wait until they are needed.
"""
