# SPDX-License-Identifier: Apache-2.0
"""Imports point one way: a module imports what is below it, and no scheme knows of another. No module
and no folder needs itself. Names stay at home: no scheme's name stands in a module outside its folder."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from headroom.core.paths import ROOT
from headroom.core.scheme_registry import all_schemes

PACKAGE = ROOT / "resources" / "headroom"

# From the top down.
LAYERS = (
    "__main__",
    "cli",
    "site",
    "nightly",
    "campaigns",
    "selftest",
    "judge",
    "schemes",
    "keywords",
    "decode",
    "report",
    "bench",
    "testbed",
    "history",
    "core",
)
# Imports that still point the wrong way, by module. The list only gets shorter.
NOT_YET: set[str] = set()

# Names of schemes, those to come included, as they stand in identifiers and sentences.
SCHEMES = {"vj", "iphc", "taroc", "ule"} | {*all_schemes()}
# Modules that still name a scheme which is not their own. The list only gets shorter.
NAMES_NOT_YET: set[str] = set()

FLOOR = {name: len(LAYERS) - floor for floor, name in enumerate(LAYERS)}


def part_of(path: Path) -> str:
    """The package or module directly below `headroom` that a file belongs to."""
    return path.relative_to(PACKAGE).parts[0].removesuffix(".py")


def imported(source: str) -> Iterator[str]:
    """Modules below `headroom` that a module imports anywhere, in functions, too: `core.engine`."""
    for node in ast.walk(ast.parse(source)):
        names: list[str] = []
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            names = [f"{node.module}.{alias.name}" for alias in node.names]
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        for name in names:
            words = name.split(".")
            if words[0] == "headroom" and len(words) > 1 and not words[1].startswith("__"):
                yield ".".join(words[1:])


def carried_by(name: str) -> tuple[str, ...]:
    return all_schemes()[name].carries if name in all_schemes() else ()


def against(module: str, source: str) -> list[str]:
    """What `module` (`core.engine`) imports from above, or from another scheme. The object of a scheme whose packets
    its own one carries is public."""
    part, *rest = module.split(".")
    wrong = set()
    for name in imported(source):
        other, *inside = name.split(".")
        of_another_scheme = other == part == "schemes" and inside[0] != rest[0]
        if of_another_scheme and inside[0] in carried_by(rest[0]) and inside[1:2] == ["scheme"]:
            continue
        if of_another_scheme or FLOOR[other] > FLOOR[part]:
            wrong.add(name)
    return sorted(wrong)


def module_of(path: Path) -> str:
    return ".".join(path.relative_to(PACKAGE).with_suffix("").parts)


MODULES = sorted(p for p in PACKAGE.rglob("*.py") if part_of(p) not in ("tests", "__init__"))


def test_every_part_has_a_floor() -> None:
    assert {part_of(path) for path in MODULES} == set(FLOOR)


@pytest.mark.parametrize("path", MODULES, ids=module_of)
def test_imports_point_down(path: Path) -> None:
    found = against(module_of(path), path.read_text(encoding="utf-8"))
    assert bool(found) == (module_of(path) in NOT_YET), found


def test_an_import_from_above_is_found() -> None:
    inside = "def f():\n    from headroom.bench.load import run\n"
    assert against("core.engine", inside) == ["bench.load.run"]
    assert against("bench.load", "from headroom import cli, core") == ["cli"]
    assert against("schemes.a.scheme", "from headroom.schemes.b import judge") == ["schemes.b.judge"]
    carrying = next(name for name, one in all_schemes().items() if one.carries)
    carried = all_schemes()[carrying].carries[0]
    assert not against(f"schemes.{carrying}.line", f"from headroom.schemes.{carried}.scheme import SCHEME")
    assert against(f"schemes.{carrying}.line", f"from headroom.schemes.{carried} import judge")


# A scheme's functions take rows of the matrix, and a row holds its scheme: the types need each other. In this module
# alone, imports for types do not count.
TYPES_ALONE = "core.contract"
PARTS = re.compile(r'''PARTS\.(?:part|made|metrics)\("([a-z_.]+)"''')  # modules of its own that a scheme names


def needed_by(module: str, source: str, modules: Iterable[str]) -> set[str]:
    """The modules that a module imports, in functions, too."""
    if module == TYPES_ALONE:
        source = re.sub(r"^if TYPE_CHECKING:\n(?:(?: .*)?\n)+", "", source, flags=re.MULTILINE)
    known, found = set(modules), set()
    own = module.rpartition(".")[0]
    for name in (*imported(source), *(f"{own}.{part}" for part in PARTS.findall(source))):
        words = name.split(".")
        starts = [".".join(words[:length]) for length in range(len(words), 0, -1)]
        candidates = (one for start in starts for one in (start, f"{start}.__init__"))
        found.add(next((one for one in candidates if one in known), module))
    return found - {module}


def below(folder: str, needs: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """Needs of the modules and folders directly in a folder of each other."""
    start = f"{folder}." if folder else ""
    units = {module: module.removeprefix(start).split(".")[0] for module in needs if module.startswith(start)}
    found: dict[str, set[str]] = {unit: set() for unit in units.values()}
    for module, unit in units.items():
        found[unit] |= {units[one] for one in needs[module] if one in units} - {unit}
    return found


def circle(needs: Mapping[str, set[str]]) -> str:
    """A circle of imports, as `a -> b -> a`; "" where there is none."""
    try:
        TopologicalSorter(needs).prepare()
    except CycleError as error:
        return " -> ".join(reversed(error.args[1]))
    return ""


def needs_of_all() -> dict[str, set[str]]:
    sources = {module_of(path): path.read_text(encoding="utf-8") for path in MODULES}
    return {module: needed_by(module, source, sources) for module, source in sources.items()}


def test_no_module_needs_itself() -> None:
    assert not circle(needs_of_all())


def test_no_folder_needs_itself() -> None:
    needs = needs_of_all()
    folders = {"", *(module.rpartition(".")[0] for module in needs)}
    assert {"core", "core.results", "schemes.rohc"} <= folders
    assert not [f"{folder}: {found}" for folder in sorted(folders) if (found := circle(below(folder, needs)))]


def test_a_circle_is_found() -> None:
    a = needed_by("a.one", "def f():\n    from headroom.b.two import run\n", ["a.one", "b.two"])
    b = needed_by("b.two", "if TYPE_CHECKING:\n    from headroom.a import one\n", ["a.one", "b.two"])
    assert circle({"a.one": a, "b.two": b}) in ("a.one -> b.two -> a.one", "b.two -> a.one -> b.two")
    needs = {"x.a.one": {"x.b.two"}, "x.b.two": set(), "x.b.three": {"x.a.four"}, "x.a.four": set()}
    assert not circle(needs) and "a -> b" in circle(below("x", needs)), "the folders need each other"
    types = "if TYPE_CHECKING:\n    import typer\n\n    from headroom.core import engine\n\nX = 1\n"
    assert needed_by("core.other", types, ["core.other", "core.engine"]) == {"core.engine"}
    assert not needed_by(TYPES_ALONE, types, [TYPES_ALONE, "core.engine"])
    named = 'PARTS.part("interop.cells", "INTEROP")'
    assert needed_by("schemes.a.scheme", named, ["schemes.a.interop.cells"]) == {"schemes.a.interop.cells"}
    assert needed_by("b.two", "from headroom.schemes.a import NAME", ["schemes.a.__init__"]) == {"schemes.a.__init__"}


def words_of(source: str) -> set[str]:
    """All words of a module, in lower case; identifiers are split at underscores and camel case."""
    source = re.sub(r"(?i)\bgtp-u\b", "gtpu", source).replace("SigComp", "Sigcomp")
    return {word.lower() for word in re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", source)}


def names_of_others(path: Path) -> set[str]:
    """The schemes that a module names, does not belong to, and that its own neither carries nor compares in a paper."""
    parts = path.relative_to(PACKAGE).parts
    own = {parts[1], *carried_by(parts[1])} if parts[0] == "schemes" else set()
    if parts[2:3] in (("papers",), ("scheme.py",)):
        own |= set(all_schemes()[parts[1]].compares)
    return (words_of(path.read_text(encoding="utf-8")) & SCHEMES) - own


@pytest.mark.parametrize("path", MODULES, ids=module_of)
def test_no_scheme_is_named_outside_its_folder(path: Path) -> None:
    found = names_of_others(path)
    assert bool(found) == (module_of(path) in NAMES_NOT_YET), found


def test_names_are_found_in_identifiers_and_sentences() -> None:
    assert {"rohc", "sigcomp", "gtpu", "vj"} <= SCHEMES
    assert words_of("TYPE_ROHC = RohcOption('vj')") >= {"rohc", "vj"}
    assert words_of("SigCompNode of GTP-U, GTPU_PORT") >= {"sigcomp", "gtpu"}
    assert not words_of("rules, module, Schedule") & SCHEMES


# What a configuration of one scheme alone holds: quoted keys and names of attributes.
CONFIGURED = re.compile(r"""["'](max_cid|cids|mrru|modes|max_slot_id)["']|\.(max_cid|cids|mrru)\b|\bmax_cid=""")


@pytest.mark.parametrize("path", [one for one in MODULES if part_of(one) != "schemes"], ids=module_of)
def test_no_configuration_of_a_scheme_is_known_outside_its_folder(path: Path) -> None:
    found = {"".join(match) for match in CONFIGURED.findall(path.read_text(encoding="utf-8"))}
    assert not found


def test_what_a_configuration_holds_is_found() -> None:
    for line in ('declared.get("max_cid", 15)', "channel.cids", "lacks(role, name, max_cid=9)", "{'mrru': 2000}"):
        assert CONFIGURED.search(line), line
    assert not CONFIGURED.search("self.mode, self.models; max_cid is a word of a sentence")


# ---- the engine, the reference's adapter, schemas and templates: what is a scheme's stands in folders of its own

ENGINE = ROOT / "resources" / "engine"
REFERENCE = ROOT / "implementations" / "reference"
SCHEMAS = ROOT / "resources" / "schemas"
# Files of these that still name a scheme. The list only gets shorter.
FILES_NOT_YET: set[str] = set()


def sources_of(folder: Path, *except_for: str) -> list[Path]:
    """The files that are compiled, and those of CMake, but those in some folders."""
    found = [path for suffix in ("cc", "h", "in", "cmake", "txt") for path in folder.rglob(f"*.{suffix}")]
    return [path for path in found if not {*except_for} & {*path.relative_to(folder).parts}]


def schemes_files() -> Iterator[Path]:
    """Files of schemes that stand among those of others: none of them may name another scheme."""
    yield from (path for path in sources_of(ENGINE / "schemes", "tests", "fuzz") if path.parent != ENGINE / "schemes")
    yield from (path for path in (SCHEMAS / "schemes").glob("*/*") if path.is_file())


def shared_files() -> Iterator[Path]:
    """Files that belong to no scheme."""
    yield from sources_of(
        ENGINE, "tests", "fuzz", *(one.name for one in (ENGINE / "schemes").iterdir() if one.is_dir())
    )
    yield from (path for path in sources_of(REFERENCE) if path.parent == REFERENCE and not path.stem.endswith("_test"))
    yield from (ROOT / "CMakeLists.txt", ROOT / "CMakePresets.json", *sources_of(ROOT / "cmake"))
    yield from (path for path in SCHEMAS.rglob("*.json") if SCHEMAS / "schemes" not in path.parents)
    yield from (path for path in (ROOT / "reports" / "templates").rglob("*") if path.is_file())


def from_root(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", sorted(shared_files()), ids=from_root)
def test_no_scheme_is_named_in_a_shared_file(path: Path) -> None:
    found = words_of(path.read_text(encoding="utf-8")) & SCHEMES
    assert bool(found) == (from_root(path) in FILES_NOT_YET), found


@pytest.mark.parametrize("path", sorted(schemes_files()), ids=from_root)
def test_no_scheme_names_another_in_its_files(path: Path) -> None:
    scheme = path.relative_to(ENGINE if ENGINE in path.parents else SCHEMAS).parts[1]
    assert words_of(path.read_text(encoding="utf-8")) & SCHEMES <= {scheme}


def test_the_shared_files_are_all_there() -> None:
    found = {from_root(path) for path in shared_files()}
    assert found >= FILES_NOT_YET | {"resources/engine/node/channel.cc", "resources/engine/schemes/scheme.h"}
    assert found >= {"implementations/reference/adapter.cc", "cmake/headroom.cmake", "reports/templates/report.html.j2"}
    assert not any("/tests/" in one or "/rohc/" in one for one in found)
