# SPDX-License-Identifier: Apache-2.0
"""The nightly regression: builds, measures, judges and publishes, once a night."""
