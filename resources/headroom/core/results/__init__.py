# SPDX-License-Identifier: Apache-2.0
"""Result records: what they hold, how they are kept, how they are read again."""
