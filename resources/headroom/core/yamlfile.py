# SPDX-License-Identifier: Apache-2.0
"""YAML files that people write: read with the line of every value, validated, refused with a sentence.

An error names file and line, as a compiler does: `voip.yaml:12: /codec/payload: 'abc' is not of type 'integer'`.
"""

import contextlib
import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from headroom.core.errors import UsageError
from headroom.core.paths import SCHEMAS, octets_of, shown

# No file of ours is nearly as large. A larger file is not what it claims to be, and would take long to be refused.
MAX_OCTETS = 1 << 20
MAX_DEPTH = 50  # Levels of nesting, for the same reason. Deeper nesting would overrun the stack of some reader.
MAX_SHOWN = 5
MAX_SENTENCE = 1000  # most characters of a complaint
MAX_QUOTED = 40  # most characters of a value in a sentence

BLOCK = "|"  # added to the pointer of a literal block: its first line of text

Pointer = tuple[str | int, ...]


@dataclass(frozen=True)
class Document:
    """The data of a YAML file, with the line of each value (line numbers start at 1)."""

    path: Path
    data: Any
    lines: dict[Pointer, int] = field(default_factory=dict)
    files: dict[Pointer, Path] = field(default_factory=dict)  # other files, by the values that stand in them

    def line(self, pointer: Pointer) -> int:
        """The line of a value, or of a line of a literal block; if the value is missing, that of the closest value
        around it.
        """
        if pointer and isinstance(pointer[-1], int) and (block := self.lines.get((*pointer[:-1], BLOCK))):
            return block + pointer[-1]
        while pointer and pointer not in self.lines:
            pointer = pointer[:-1]
        return self.lines.get(pointer, 1)

    def complaint(self, pointer: Pointer, sentence: str) -> str:
        where = "".join(f"/{part}" for part in pointer)
        path = next((path for at, path in self.files.items() if pointer[: len(at)] == at), self.path)
        return f"{shown(path)}:{self.line(pointer)}: {where + ': ' if where else ''}{sentence}"


def read(path: Path) -> Document:
    """Reads a YAML file. Raises UsageError, with file and line, on anything that is not plain YAML data."""
    try:
        octets = octets_of(path, MAX_OCTETS)
    except OSError as error:
        raise UsageError(f"{shown(path)} cannot be read: {error.strerror}.") from error
    if len(octets) > MAX_OCTETS:
        raise UsageError(f"{shown(path)} has more than {MAX_OCTETS} octets; that is surely not meant.")
    try:
        root = _compose(octets.decode("utf-8"))
    except UnicodeDecodeError as error:
        raise UsageError(f"{shown(path)} is not UTF-8 text: octet {error.start} is wrong.") from error
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 1 if error.problem_mark else 1
        raise UsageError(f"{shown(path)}:{line}: not YAML: {error.problem or error.context}.") from error
    except yaml.YAMLError as error:
        raise UsageError(f"{shown(path)} is not YAML: {error}.") from error
    except (ValueError, OverflowError) as error:  # PyYAML makes a character of any number after \\U
        raise UsageError(f"{shown(path)} is not YAML: an escape such as \\U00110000 names no character.") from error
    except RecursionError as error:
        raise UsageError(
            f"{shown(path)} nests lists or mappings far more than {MAX_DEPTH} levels deep; that is surely not meant."
        ) from error
    if root is None:
        return Document(path, None)
    reader = _Reader(path)
    return Document(path, reader.convert(root, ()), reader.lines)


def _compose(text: str) -> yaml.Node | None:
    """The node of a document. Raises as `yaml.compose` does."""
    if yaml.__with_libyaml__:
        with contextlib.suppress(yaml.YAMLError):  # its reasons say less than those of PyYAML
            node: yaml.Node | None = _composer()(text).get_single_node()
            return node
    return yaml.compose(text, Loader=yaml.SafeLoader)


@cache
def _composer() -> Callable[[str], Any]:
    """The class of composers on libyaml, which parses seven times as fast as PyYAML. PyYAML makes the nodes: deep
    nesting ends its recursion with an exception, and that of libyaml's binding with a crash.
    """

    class Composer(yaml.composer.Composer, yaml.cyaml.CParser, yaml.resolver.Resolver):  # type: ignore[misc]
        def __init__(self, text: str) -> None:
            yaml.cyaml.CParser.__init__(self, text)
            yaml.composer.Composer.__init__(self)
            yaml.resolver.Resolver.__init__(self)

    return Composer


def read_joined(path: Path, parts: Iterable[Path], keys: Collection[str]) -> Document:
    """Reads a YAML file, and adds to its lists those of the same keys in other files. Raises UsageError if a part is
    not a mapping of lists with some of `keys`.
    """
    document = read(path)
    for part in parts if isinstance(document.data, dict) else ():
        more = read(part)
        data = more.data if isinstance(more.data, dict) else {"": more.data}
        for key, items in data.items():
            list_of_key = document.data.setdefault(key, [])
            if key not in keys or not isinstance(items, list) or not isinstance(list_of_key, list):
                raise UsageError(more.complaint((key,), f"a mapping of lists is expected here: {', '.join(keys)}"))
            for number, item in enumerate(items):
                at = (key, len(list_of_key))
                document.files[at] = part
                mine = ((where, line) for where, line in more.lines.items() if where[:2] == (key, number))
                document.lines.update(((*at, *where[2:]), line) for where, line in mine)
                list_of_key.append(item)
    return document


class _Reader:
    """Turns YAML nodes into plain data and remembers the line of each."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.lines: dict[Pointer, int] = {}
        self.seen: set[int] = set()
        self.constructor = yaml.constructor.SafeConstructor()

    def complaint(self, line: int, sentence: str) -> UsageError:
        return UsageError(f"{shown(self.path)}:{line}: {sentence}.")

    def convert(self, node: yaml.Node, pointer: Pointer) -> Any:
        line = node.start_mark.line + 1
        self.lines[pointer] = line
        if id(node) in self.seen:
            # An alias. Nested aliases can describe gigabytes in a few lines, and none of our files needs any.
            raise self.complaint(line, "aliases (*name) are not allowed; write the value out")
        if len(pointer) > MAX_DEPTH:
            raise self.complaint(line, f"more than {MAX_DEPTH} levels of nesting are surely not meant")
        self.seen.add(id(node))
        if isinstance(node, yaml.MappingNode):
            return self.mapping(node, pointer)
        if isinstance(node, yaml.SequenceNode):
            return [self.convert(child, (*pointer, index)) for index, child in enumerate(node.value)]
        if node.style == "|":
            self.lines[*pointer, BLOCK] = line + 1
        return self.scalar(node)

    def mapping(self, node: yaml.MappingNode, pointer: Pointer) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for key_node, value_node in node.value:
            line = key_node.start_mark.line + 1
            key = self.scalar(key_node)
            if not isinstance(key, str):
                raise self.complaint(line, f"the key {key!r} is not text; put it in quotes")
            if key in result:
                raise self.complaint(line, f"the key '{key}' stands twice in one mapping")
            result[key] = self.convert(value_node, (*pointer, key))
            self.lines[(*pointer, key)] = line
        return result

    def scalar(self, node: yaml.Node) -> Any:
        if not isinstance(node, yaml.ScalarNode):
            raise self.complaint(node.start_mark.line + 1, "a key must be a plain word")
        try:
            value = self.constructor.construct_object(node, deep=True)
        except (yaml.YAMLError, ValueError) as error:
            raise self.complaint(node.start_mark.line + 1, str(getattr(error, "problem", None) or error)) from error
        except (LookupError, AttributeError, OverflowError) as error:
            # PyYAML trusts a tag, such as !!int, whatever the value is.
            sentence = f"'{node.value[:MAX_QUOTED]}' does not match its tag, {node.tag}"
            raise self.complaint(node.start_mark.line + 1, sentence) from error
        # JSON, which everything becomes, has neither infinity nor surrogates; and no quantity of ours has more bits.
        if (isinstance(value, float) and not math.isfinite(value)) or (isinstance(value, int) and abs(value) >> 64):
            shortened = node.value if len(node.value) <= MAX_QUOTED else f"{node.value[:MAX_QUOTED]}…"
            raise self.complaint(node.start_mark.line + 1, f"{shortened} is no number that can be used; write one")
        if isinstance(value, str) and re.search(r"[\ud800-\udfff]", value):
            raise self.complaint(node.start_mark.line + 1, "an escape here, such as \\uD800, names no character")
        # Dates and binary data are types of YAML alone; JSON, which everything becomes, lacks them.
        return value if isinstance(value, str | int | float | bool) or value is None else node.value


@cache
def schema(name: str) -> dict[str, Any]:
    """A JSON Schema of resources/schemas by its name without `.schema.json`, with the additions of schemes in files of
    the same name: lists are joined, objects merged.
    """
    result: dict[str, Any] = {}
    for path in (SCHEMAS / f"{name}.schema.json", *sorted(SCHEMAS.glob(f"schemes/*/{name}.schema.json"))):
        try:
            result = _with(result, json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError) as error:
            raise UsageError(f"The schema {shown(path)} cannot be read: {error}.") from error
    return result


def _with(base: dict[str, Any], more: dict[str, Any]) -> dict[str, Any]:
    """An object with another's additions; a value that is neither list nor object stays as it is."""
    result = {**more, **base}
    for key in base.keys() & more.keys():
        if isinstance(base[key], dict):
            result[key] = _with(base[key], more[key])
        elif isinstance(base[key], list):
            result[key] = [*base[key], *more[key]]
    return result


def check(document: Document, against: str | dict[str, Any], at: Pointer = ()) -> Document:
    """Returns the document if it, or its part at `at`, is valid by a schema or the schema of a name; raises UsageError
    with up to five complaints, each with its line.
    """
    data = document.data
    for key in at:
        data = data[key]
    complaints = [document.complaint((*at, *where), sentence) for where, sentence in violations(data, against)]
    if complaints:
        more = len(complaints) - MAX_SHOWN
        tail = [f"… and {more} more."] if more > 0 else []
        raise UsageError("\n".join(complaints[:MAX_SHOWN] + tail))
    return document


def violations(data: Any, against: str | dict[str, Any]) -> list[tuple[Pointer, str]]:
    """Complaints about `data` by a schema or the schema of a name, as (where, sentence), most telling first."""
    from jsonschema import Draft202012Validator
    from jsonschema.validators import extend

    validator = extend(Draft202012Validator, {"pattern": _pattern})(
        schema(against) if isinstance(against, str) else against
    )
    complaints: dict[tuple[Pointer, str], None] = {}
    for error in validator.iter_errors(data):
        for leaf in _leaves(error):
            complaints[(tuple(leaf.absolute_path), _without_middle(_sentence(leaf)))] = None
    return sorted(complaints, key=lambda item: tuple(str(part) for part in item[0]))


def _pattern(_validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[Any]:
    """Validates `pattern` with the `$` of ECMA-262, which JSON Schema refers to: the end.

    Python's `$` also matches before a line break at the end, which would end a command in the middle.
    """
    from jsonschema import ValidationError

    if isinstance(instance, str) and not re.search(re.sub(r"\$$", r"\\Z", pattern), instance):
        yield ValidationError(f"{instance!r} does not match {pattern!r}")


def _leaves(error: Any) -> list[Any]:
    """The errors that a person can act on: inside `anyOf` and `oneOf`, those of the branch that came closest."""
    if error.validator not in ("anyOf", "oneOf") or not error.context:
        return [error]
    branches: dict[int, list[Any]] = {}
    for child in error.context:
        branches.setdefault(child.schema_path[0], []).append(child)

    def distance(children: list[Any]) -> tuple[int, int]:
        wrong_kind = sum(1 for c in children if c.validator in ("type", "const", "enum") and len(c.path) <= 1)
        return (wrong_kind, len(children))

    if all(child.validator == "required" for child in error.context):
        return [error]
    closest = min(branches.values(), key=distance)
    return [leaf for child in closest for leaf in _leaves(child)]


def _without_middle(sentence: str) -> str:
    """A sentence with a long quoted value shortened in the middle."""
    half = MAX_SENTENCE // 2
    return sentence if len(sentence) <= MAX_SENTENCE else f"{sentence[:half]} … {sentence[-half:]}"


def _sentence(error: Any) -> str:
    if error.validator == "additionalProperties" and isinstance(error.instance, dict):
        import difflib

        known = list(error.schema.get("properties", {}))
        extra = [key for key in error.instance if key not in known]
        hints = []
        for key in extra[:MAX_SHOWN]:
            close = difflib.get_close_matches(key, known, 1)
            hints.append(f"'{key}' is not known here" + (f"; '{close[0]}' is meant?" if close else ""))
        if len(extra) > MAX_SHOWN:
            hints.append(f"nor are {len(extra) - MAX_SHOWN} more")
        return "; ".join(hints) + f" (known: {', '.join(known)})"
    if error.validator in ("anyOf", "oneOf") and all(child.validator == "required" for child in error.context):
        required = " or ".join(sorted({"+".join(child.validator_value) for child in error.context}))
        return f"one of these is needed: {required}"
    if error.validator == "type":
        return _wrong_type(error.instance, error.validator_value, _example(error)) or error.message
    if error.validator == "pattern" and (example := _example(error)):
        return f"{error.instance!r} does not match; it has to look like {example}"
    return error.message


KINDS = {"object": "a mapping, such as `name: value`,", "array": "a list, such as `[one, two]`,", "string": "text"}


def _wrong_type(instance: Any, required: Any, example: str) -> str:
    """A complaint about a value of the wrong type; nothing if the schema's message suffices."""
    if not isinstance(required, str) or required not in KINDS:
        return ""
    needed, such_as = KINDS[required], f', such as "{example}"' if example else ""
    if instance is None:
        return f"nothing stands here; {needed} is needed{such_as}"
    if required == "string" and isinstance(instance, int | float):
        what = f"{'yes' if instance else 'no'}" if isinstance(instance, bool) else f"the number {instance:g}"
        return f"this is read as {what}, and text is needed: put it in quotes{such_as}"
    if required != "string" and isinstance(instance, str | int | float | list | dict):
        return f"{_short(instance)} stands here, where {needed} is needed"
    return ""


def _short(instance: Any) -> str:
    kinds = {dict: "a mapping", list: "a list"}
    return kinds.get(type(instance)) or f"'{str(instance)[:MAX_QUOTED]}'"


def _example(error: Any) -> str:
    examples = error.schema.get("examples") if isinstance(error.schema, dict) else None
    return str(examples[0]) if examples else ""
