# SPDX-License-Identifier: Apache-2.0
"""The reference: JSON Schemas of resources/schemas as text, and validation against them.

A document is named by its schema: `record`, `testbed`, `implementation` …; the engine's jobs and results by their
command: `job-replay`, `result-replay`.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from functools import cache
from textwrap import wrap
from typing import Any

from headroom.core import yamlfile
from headroom.core.errors import UsageError
from headroom.core.paths import SCHEMAS

RENAMED = {"result": "record"}  # result.schema.json: its title is record, because the engine has results, too
COMMON, ENDING = "common", ".schema.json"
Schema = dict[str, Any]


@cache
def places() -> dict[str, tuple[str, str]]:
    """Name of each document -> its schema (`testbed`, `jobs/replay`), and the place within it."""
    by_name = {}
    stems = _stems()
    for stem in stems:
        folder, _, name = stem.rpartition("/")
        if folder and name in stems:
            continue  # a scheme's addition to another document
        if folder != "jobs":
            by_name[RENAMED.get(stem, stem.removeprefix("schemes/"))] = (stem, "")
        elif name != COMMON:
            by_name |= {f"{part}-{name}": (stem, f"/$defs/{part}") for part in ("job", "result")}
    return dict(sorted(by_name.items(), key=lambda item: (item[1][0].count("/"), item[0])))


def titles() -> dict[str, str]:
    """Name of each document -> its title."""
    return {name: str(yamlfile.schema(stem)["title"]) for name, (stem, _) in places().items()}


def place(name: str) -> tuple[str, str]:
    """The schema of a document, and the place within it. Raises UsageError for an unknown name."""
    if name not in places():
        raise UsageError(f"There is no reference of '{name}'. Known: {', '.join(places())}.")
    return places()[name]


def violations(name: str, document: Any) -> list[str]:
    """Complaints about a document, as sentences that begin with the place in it; empty if it is valid."""
    errors = _validator(*place(name)).iter_errors(document)
    return [f"/{'/'.join(map(str, error.absolute_path))}: {error.message[:500]}" for error in errors]


def text(name: str, width: int = 110) -> str:
    """The reference of a document: each property with its type, range, default and description; `*` is required."""
    return "\n".join(_Text(width).lines(name)) + "\n"


def _stems() -> list[str]:
    return sorted(str(path.relative_to(SCHEMAS)).removesuffix(ENDING) for path in SCHEMAS.rglob(f"*{ENDING}"))


@cache
def _validator(stem: str, pointer: str) -> Any:
    from jsonschema import Draft202012Validator
    from referencing import Registry, Resource

    files = [(stem + ENDING, Resource.from_contents(yamlfile.schema(stem))) for stem in _stems()]
    return Draft202012Validator({"$ref": f"{stem}{ENDING}#{pointer}"}, registry=Registry().with_resources(files))


class _Text:
    """The text of one document. Definitions with properties of their own are sections behind it, each once."""

    def __init__(self, width: int) -> None:
        self.width = width
        self.sections: list[tuple[str, str]] = []

    def lines(self, name: str) -> Iterator[str]:
        self.sections.append(place(name))
        for number, (stem, pointer) in enumerate(self.sections):  # grows while it is read
            target_schema, _, _ = self._follow({"$ref": f"#{pointer}"}, stem, opened=True)
            yield from ["", pointer.rpartition("/")[2]] if number else [f"{name}: {yamlfile.schema(stem)['title']}"]
            yield from [*wrap(target_schema.get("description", ""), self.width), ""]
            yield from self._properties(target_schema, stem, "  ")

    def _properties(self, schema_part: Schema, stem: str, indent: str) -> Iterator[str]:
        for key, part in schema_part.get("properties", {}).items():
            target, at, label = self._follow(part, stem)
            low, high = target.get("minimum", target.get("exclusiveMinimum")), target.get("maximum")
            limits = f" {'' if low is None else low}..{high}" if high is not None else f" from {low}" if low else ""
            facts = [f", default {_said(target['default'])}"] if "default" in target else []
            facts += [f", such as {_said(example)}" for example in target.get("examples", ())[:1]]
            kind = f"{self._kind(part, stem)}{limits}{''.join(facts)}."
            said = target.get("description", "")
            # A section of the same name has the keys.
            said = (said or "see its section.") if label and kind == f"{key}." else f"{kind} {said}"
            description = f"{key}{'*' if key in schema_part.get('required', ()) else ''}: {said}"
            yield from wrap(description, self.width, initial_indent=indent, subsequent_indent=indent + 4 * " ")
            if not label:
                yield from self._properties(target, at, indent + 2 * " ")
        for inner in (schema_part.get("items"), schema_part.get("additionalProperties"), *_branches(schema_part)):
            if isinstance(inner, dict) and not (followed := self._follow(inner, stem))[2]:
                yield from self._properties(*followed[:2], indent)

    def _kind(self, schema_part: Schema, stem: str) -> str:
        """The type in words; for a definition with properties of its own, its name."""
        schema_part, stem, label = self._follow(schema_part, stem)
        if label:
            return label
        if "const" in schema_part or "enum" in schema_part:
            return " | ".join(_said(constant) for constant in schema_part.get("enum", [schema_part.get("const")]))
        if isinstance(schema_part.get("items"), dict):
            return f"list of {self._kind(schema_part['items'], stem)}"
        if "type" not in schema_part and (branches := _branches(schema_part)):
            return " or ".join(dict.fromkeys(self._kind(branch, stem) for branch in branches))
        if isinstance(values := schema_part.get("additionalProperties"), dict) and "properties" not in schema_part:
            return f"object of {self._kind(values, stem)} by name"
        kinds = schema_part.get("type", "object" if "properties" in schema_part else "any")
        return kinds if isinstance(kinds, str) else " or ".join(kinds)

    def _follow(self, schema_part: Schema, stem: str, opened: bool = False) -> tuple[Schema, str, str]:
        """A schema with `$ref` and `allOf` resolved, its file, and, unless `opened`, its name if it is a section."""
        while "$ref" in schema_part:
            path, _, pointer = schema_part["$ref"].partition("#")
            stem = os.path.normpath(f"{stem}/../{path.removesuffix(ENDING)}") if path else stem
            target: Any = yamlfile.schema(stem)
            for key in pointer.split("/")[1:]:
                target = target[key]
            own = {key: value for key, value in schema_part.items() if key != "$ref"}
            if not opened and (not pointer or ("/properties/" not in pointer and "properties" in target)):
                self.sections += [(stem, pointer)] if pointer and (stem, pointer) not in self.sections else []
                return own, stem, (pointer or stem).rpartition("/")[2]
            schema_part = {**target, **own}
        for part in schema_part.get("allOf", ()):
            self._follow(part.get("then", {}), stem)  # a section
            other = self._follow(part, stem, opened=True)[0]
            merged = {**other.get("properties", {}), **schema_part.get("properties", {})}
            needed = [*other.get("required", ()), *schema_part.get("required", ())]
            schema_part = {**other, **schema_part, "properties": merged, "required": needed}
        return schema_part, stem, ""


def _branches(schema_part: Schema) -> list[Schema]:
    """Alternatives that determine the value's type, and not only its required keys."""
    return [
        branch
        for key in ("anyOf", "oneOf")
        for branch in schema_part.get(key, ())
        if {"type", "$ref", "enum"} & {*branch}
    ]


def _said(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
