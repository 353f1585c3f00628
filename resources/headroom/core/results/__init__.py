# SPDX-License-Identifier: Apache-2.0
"""Result records: their content, how they are written, and how they are read again."""
