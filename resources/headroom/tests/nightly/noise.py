# SPDX-License-Identifier: Apache-2.0
"""Seeded series of 60 nights in which nothing changes but what machines do, each a kind of noise of its own.

Values are shares of a normal night, as the best of 30 trials have them: 0.4 % from night to night.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Values = NDArray[np.float64]
NIGHTS = 60
SPREAD = 0.004


def gaussian(random: np.random.Generator) -> Values:
    return 1 + SPREAD * random.standard_normal(NIGHTS)


def dips(random: np.random.Generator) -> Values:
    """One night in fifty is 2 % faster: a boosted clock."""
    return gaussian(random) - 0.02 * (random.random(NIGHTS) < 0.02)


def drift(random: np.random.Generator) -> Values:
    """1 % over all nights, in either direction: dust, an ageing heap of other files."""
    return gaussian(random) + random.choice([-1, 1]) * np.linspace(0, 0.01, NIGHTS)


def heteroscedastic(random: np.random.Generator) -> Values:
    """Half as much noise again in the second half."""
    scale = np.where(np.arange(NIGHTS) < NIGHTS // 2, 1.0, 1.5)
    return 1 + SPREAD * scale * random.standard_normal(NIGHTS)


def outliers(random: np.random.Generator) -> Values:
    """One night in twenty is slower, by 10 % in the mean."""
    return gaussian(random) + random.exponential(0.1, NIGHTS) * (random.random(NIGHTS) < 0.05)


def autocorrelated(random: np.random.Generator) -> Values:
    """AR(1) with 0.7: a night is like the one before."""
    steps = random.standard_normal(NIGHTS)
    found = np.empty(NIGHTS)
    found[0] = steps[0]
    for night in range(1, NIGHTS):
        found[night] = 0.7 * found[night - 1] + np.sqrt(1 - 0.49) * steps[night]
    return 1 + SPREAD * found


def weekly(random: np.random.Generator) -> Values:
    """Weekends are 1 % faster."""
    return gaussian(random) - 0.01 * (np.arange(NIGHTS) % 7 >= 5)


def virtual_machine(random: np.random.Generator) -> Values:
    """The best of 30 trials beside neighbours: most are disturbed by 2 % in the mean, some nights all are."""
    trials = random.exponential(0.02, (NIGHTS, 30)) + SPREAD * random.standard_normal((NIGHTS, 1))
    crowded = (random.random(NIGHTS) < 0.03) * random.uniform(0, 0.05, NIGHTS)
    return 1 + trials.min(axis=1) + crowded


KINDS: dict[str, Callable[[np.random.Generator], Values]] = {
    "Gaussian": gaussian,
    "dips": dips,
    "drift": drift,
    "heteroscedastic": heteroscedastic,
    "outliers": outliers,
    "AR(1)": autocorrelated,
    "weekly": weekly,
    "virtual machine": virtual_machine,
}
