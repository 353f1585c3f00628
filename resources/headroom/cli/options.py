# SPDX-License-Identifier: Apache-2.0
"""Options of the command line: commands take them from declarations (`core.options`, `core.settings`)."""

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Annotated, Any, Optional

import typer

from headroom.core.options import Option, flag
from headroom.core.settings import options

Command = Callable[..., None]


def of_settings(texts: Mapping[str, str] | None = None) -> list[Option]:
    """The options of settings: those named in `texts`, with these help texts instead of their own; all if `texts` is
    left out.
    """
    if texts is None:
        return [option for option in options().values() if not option.hidden]
    return [replace(options()[name], help=text) for name, text in texts.items()]


def with_options(command: Command, declared: Sequence[Option]) -> Command:
    """A command for typer. Its first parameter gets the values, by name, of the options that stand on the command line;
    options left at their default are missing. The other parameters are arguments.
    """
    _, *arguments = inspect.signature(command, eval_str=True).parameters.values()
    context = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation=typer.Context)
    parameters = [context, *arguments, *map(_parameter, declared)]

    def generated(context: typer.Context, **values: Any) -> None:
        sources = {parameter.name: context.get_parameter_source(parameter.name) for parameter in declared}
        there = [name for name, source in sources.items() if source is not None and source.name == "COMMANDLINE"]
        command(
            {name: values[name] for name in there},
            **{parameter.name: values[parameter.name] for parameter in arguments},
        )

    generated.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    generated.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return generated


def _parameter(option: Option) -> inspect.Parameter:
    default: Any = option.default
    kind: Any = option.kind
    if kind is list:
        default, kind = None, Optional[list[str]]  # noqa: UP045
    elif isinstance(default, tuple):
        default = option.text(default)
    elif default is None:
        kind = Optional[kind]  # noqa: UP045
    annotation = Annotated[kind, typer.Option(flag(option.name), help=option.help)]
    return inspect.Parameter(option.name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)
