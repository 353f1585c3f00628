# SPDX-License-Identifier: Apache-2.0
"""The number of events that chance explains."""

import math

CONFIDENCE = 0.999


def poisson_limit(mean: float, confidence: float = CONFIDENCE) -> int:
    """The least number that a Poisson variable of this mean exceeds with a probability of at most 1 - confidence."""
    if mean <= 0:
        return 0
    term = total = math.exp(-mean) if mean < 700 else 0.0
    if not total:  # far beyond any case, the normal distribution is close enough
        return math.ceil(mean + 3.1 * math.sqrt(mean))
    count = 0
    while total < confidence:
        count += 1
        term *= mean / count
        total += term
    return count
