# SPDX-License-Identifier: Apache-2.0
"""The base of keyword libraries: an error of harness or engine is recorded as such, never as a failure."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from robot.api import SkipExecution
from robot.errors import RobotError

from headroom.core import settings
from headroom.core.engine_result import EngineFailure
from headroom.core.errors import HeadroomError, disk_error, exhaustion
from headroom.core.results import collector
from headroom.core.run.run import Run

Class = TypeVar("Class", bound=type)


def library(decorated: Class) -> Class:
    """Class decorator for a keyword library: one instance for a run, public methods are keywords, errors are
    recorded.
    """
    decorated.ROBOT_LIBRARY_SCOPE = "GLOBAL"
    for name, member in list(vars(decorated).items()):
        if callable(member) and not name.startswith("_") and not isinstance(member, type):
            setattr(decorated, name, _honest(member))
    return decorated


def current_run() -> Run:
    """The run of the running suite, which keywords pass down. Raises UsageError if an implementation does not exist."""
    return Run.of(settings.from_robot())


def requirements_of_case() -> frozenset[str]:
    """The requirements that the running case names by its tags."""
    from robot.libraries.BuiltIn import BuiltIn, RobotNotRunningError

    try:
        tags = BuiltIn().get_variable_value("@{TEST_TAGS}") or []
    except RobotNotRunningError:
        return frozenset()
    return frozenset(str(tag).partition(":")[2] for tag in tags if str(tag).startswith("req:"))


def suite_of_case() -> str:
    """The name of the file of the running case's suite, without its suffix; "" outside Robot."""
    from robot.libraries.BuiltIn import BuiltIn, RobotNotRunningError

    try:
        return Path(BuiltIn().get_variable_value("${SUITE SOURCE}") or "").stem
    except RobotNotRunningError:
        return ""


def _honest(method: Callable[..., Any]) -> Callable[..., Any]:
    """Makes a keyword record a verdict for its exception: the exception's own verdict, or "error". With the verdict
    "unsupported" the keyword skips the case. An AssertionError means a failed expectation and passes unchanged, as do
    Robot Framework's own exceptions.
    """

    @functools.wraps(method)
    def keyword(*args: Any, **named: Any) -> Any:
        try:
            return method(*args, **named)
        except (AssertionError, SkipExecution, RobotError):
            raise
        except HeadroomError as error:
            collector.current().needs_processors = getattr(error, "needs_processors", False)
            if getattr(error, "verdict", "error") == "unsupported":
                # Robot skips a case by this exception; any other one would be a failure.
                raise SkipExecution(str(error)) from error
            collector.current().judge(getattr(error, "verdict", "error"), str(error))
            collector.current().crashed = isinstance(error, EngineFailure) and error.kind == "crash"
            raise
        except Exception as error:
            if lacking := exhaustion(error):
                collector.current().exhausted = disk_error(lacking, "running a case")
            name = "" if type(error) is RuntimeError else f"{type(error).__name__}: "
            collector.current().judge("error", f"{name}{error}")
            raise

    return keyword
