# SPDX-License-Identifier: Apache-2.0
"""Options on the command line: commands take them from their declarations (`core.options`, `core.settings`)."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Optional

import typer

from headroom.core.options import Option, flag
from headroom.core.settings import options

Command = Callable[..., None]


def of_settings(texts: Mapping[str, str] | None = None) -> list[Option]:
    """Options of settings: those of `texts`, by name, with these texts instead of their own; all where there are
    none."""
    if texts is None:
        return [one for one in options().values() if not one.hidden]
    return [replace(options()[name], help=text) for name, text in texts.items()]


def with_options(command: Command, declared: Sequence[Option]) -> Command:
    """A command for typer. Its first parameter gets the values of options that stand on the command line, by name; not
    those that have their default. The others are arguments."""
    _, *arguments = inspect.signature(command, eval_str=True).parameters.values()
    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    parameters = [context, *arguments, *map(_parameter, declared)]

    def generated(context: typer.Context, **values: Any) -> None:
        sources = {one.name: context.get_parameter_source(one.name) for one in declared}
        there = [name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"]
        command({name: values[name] for name in there}, **{one.name: values[one.name] for one in arguments})

    generated.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    generated.__annotations__ = {one.name: one.annotation for one in parameters}
    return generated


def _parameter(one: Option) -> inspect.Parameter:
    default: Any = one.default
    kind: Any = one.kind
    if kind is list:
        default, kind = None, Optional[list[str]]  # noqa: UP045
    elif isinstance(default, tuple):
        default = one.text(default)
    elif default is None:
        kind = Optional[kind]  # noqa: UP045
    annotation = Annotated[kind, typer.Option(flag(one.name), help=one.help)]
    return inspect.Parameter(one.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
