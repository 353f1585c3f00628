# SPDX-License-Identifier: Apache-2.0
"""Keywords of its conformance suite."""

from headroom.schemes.toy.line import LINE
from headroom.schemes.toy.scheme import SCHEME

from headroom.keywords.base import library
from headroom.keywords.line import LineKeywords, LineSuite


@library
class ToyKeywords(LineKeywords):
    """Traffic through one side, before the judge."""

    suite = LineSuite(SCHEME, "judge (toy draft)", LINE)
