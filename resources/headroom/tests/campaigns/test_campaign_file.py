# SPDX-License-Identifier: Apache-2.0
"""The file of a campaign, and the cells of its matrix."""

from __future__ import annotations

from pathlib import Path

import pytest

from headroom.campaigns import campaign as campaigns
from headroom.core.errors import UsageError

WHOLE = """
name: three-processors
machines: [epyc, xeon]
builds: [gcc-O2, clang-O2]
configurations:
  voip: {suites: [performance/voip_flow_pairs], options: {cpus: [1c, 2c-l3], quick: true, case: ["1c *"]}}
  effnet: {paper: effnet-2007}
repeats: 2
seed: 7
"""


def load(folder: Path, text: str) -> campaigns.Campaign:
    path = folder / "campaign.yaml"
    path.write_text(text, encoding="utf-8")
    return campaigns.load(path)


def test_each_cell_has_the_command_of_its_configuration(tmp_path: Path) -> None:
    found = load(tmp_path, WHOLE)
    assert len(found.cells()) == len({cell.id for cell in found.cells()}) == 2 * 2 * 2 * 2
    cell = next(one for one in found.cells() if one.id == "xeon.clang-O2.voip.2")
    options = ["--cpus", "1c,2c-l3", "--quick", "--case", "1c *"]
    fixed = ["--build", "clang-O2", "--seed", "7", "--json"]
    assert found.words(cell) == ["run", "performance/voip_flow_pairs", *options, *fixed]
    cell = next(one for one in found.cells() if one.id == "epyc.gcc-O2.effnet.1")
    assert found.words(cell) == ["reproduce", "effnet-2007", "--build", "gcc-O2", *fixed[2:]]


def test_the_order_follows_from_the_seed(tmp_path: Path) -> None:
    first, again = load(tmp_path, WHOLE).cells(), load(tmp_path, WHOLE).cells()
    other = load(tmp_path, WHOLE.replace("seed: 7", "seed: 8")).cells()
    assert first == again
    assert first != other
    assert sorted(first) == sorted(other)
    assert first != sorted(first)


@pytest.mark.parametrize(
    ("change", "where", "sentence"),
    [
        (("[gcc-O2, clang-O2]", "[gcc-O2, icc]"), 4, "there is no build 'icc'"),
        (("[gcc-O2, clang-O2]", "[]"), 4, "non-empty"),
        (("[epyc, xeon]", "[]"), 3, "non-empty"),
        (("[epyc, xeon]", "[epyc, epyc]"), 3, "non-unique"),
        (("[epyc, xeon]", "[../epyc]"), 3, "does not match"),
        (("name: three-processors", "name: ../out"), 2, "does not match"),
        (("effnet-2007", "no-paper"), 7, "no-paper"),
        (("performance/voip_flow_pairs", "performance/voip_flow_pair"), 6, "There is no suite"),
        (("quick: true", "quiet: true"), 6, "has no such option"),
        (("quick: true", "quick: maybe"), 6, "neither yes nor no"),
        (("quick: true", "topology: moon"), 6, "no topology 'moon'"),
        (("cpus: [1c, 2c-l3], quick: true", "tag: [nosuch]"), 6, "none of its suites has a case"),
        (("cpus: [1c, 2c-l3]", "cpus: []"), 6, "cpus has no value"),
        (("quick: true", "seed: 3"), 6, "the campaign itself sets seed"),
        (("quick: true", "build: clang-O2"), 6, "the campaign itself sets build"),
        (("paper: effnet-2007", "paper: effnet-2007, suites: [smoke]"), 7, "suites or a paper, not both"),
        (("repeats: 2", "repeats: 0"), 8, "less than the minimum"),
        (("repeats: 2", "repeats: 1000\nrepeat: 2"), 2, "'repeats' is meant?"),
    ],
)
def test_wrong_files_are_refused_with_the_line(
    tmp_path: Path, change: tuple[str, str], where: int, sentence: str
) -> None:
    assert change[0] in WHOLE
    with pytest.raises(UsageError) as error:
        load(tmp_path, WHOLE.replace(*change))
    assert f"campaign.yaml:{where}:" in str(error.value)
    assert sentence in str(error.value)


def test_an_empty_matrix_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"should be non-empty|does not have enough properties"):
        load(tmp_path, "name: empty\nconfigurations: {}\n")


def test_more_cells_than_are_meant_are_refused(tmp_path: Path) -> None:
    machines = ", ".join(f"m{number}" for number in range(11))
    text = f"name: many\nmachines: [{machines}]\nrepeats: 1000\nconfigurations: {{a: {{suites: [smoke]}}}}\n"
    with pytest.raises(UsageError, match="11,000 cells"):
        load(tmp_path, text)
