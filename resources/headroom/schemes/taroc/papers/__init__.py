# SPDX-License-Identifier: Apache-2.0
"""The papers of TAROC."""
