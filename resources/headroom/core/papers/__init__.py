# SPDX-License-Identifier: Apache-2.0
"""Publications whose figures are reproduced."""
