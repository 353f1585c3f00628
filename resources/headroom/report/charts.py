# SPDX-License-Identifier: Apache-2.0
"""Charts of the report: Vega-Lite through Altair, rendered to SVG that needs no script and prints well.

Each chart is drawn twice, wide and narrow, and the page shows the rendering that fits. Colours are those of Okabe and
Ito (distinct to colour-blind readers), and every series also has a shape or a dash of its own. Ink and paper colours
are placeholders that the page's style sheet maps to the light or dark theme.
"""

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from headroom.core.text import shortened, spelled_out

# Placeholders; report.css maps them: svg [fill="#101418"] { fill: var(--ink) } and so on.
INK = "#101418"
SOFT = "#5b6570"
RULE = "#d7dce1"

# Okabe and Ito, 2008: the eight colours without yellow, which vanishes on white, and without black, which vanishes on
# black.
COLOURS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#7f6bb3"]
DASHES = [[1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 1], [1, 3], [10, 4]]
SHAPES = ["circle", "square", "triangle-up", "diamond", "cross", "triangle-down", "triangle-right"]

WIDE, NARROW = 740, 310
MOST_LABEL = 300  # most characters of a text in a chart


@dataclass(frozen=True)
class Figure:
    """A chart for the page: two renderings, and a sentence about its content for the caption and screen readers."""

    id: str
    title: str
    caption: str
    wide: str
    narrow: str


Draw = Callable[[int, bool], Any]


def figure(identity: str, title: str, caption: str, draw: Draw) -> Figure:
    """Renders a chart in both widths. `draw(width, narrow)` returns an Altair chart."""
    return Figure(
        identity, title, caption, _svg(draw(WIDE, False), f"{identity}-w"), _svg(draw(NARROW, True), f"{identity}-n")
    )


def _svg(chart: Any, prefix: str) -> str:
    import vl_convert

    styled = chart.configure(**_configuration())
    try:
        # Vega turns field names, which the specification has escaped, back into labels.
        svg = spelled_out(vl_convert.vegalite_to_svg(_printable(styled.to_dict()), vl_version=_vega_lite()))
    except BaseException as error:
        if type(error).__name__ != "PanicException":  # a panic of Rust, which is not an Exception
            raise
        raise ValueError(f"the chart {prefix} cannot be drawn: {error}") from error
    svg = re.sub(r"^.*?(?=<svg)", "", svg, flags=re.DOTALL)
    # Identifiers of clip paths and gradients would clash between charts of one page.
    svg = re.sub(r'\bid="([^"]+)"', rf'id="{prefix}-\1"', svg)
    svg = re.sub(r"url\(#([^)]+)\)", rf"url(#{prefix}-\1)", svg)
    return re.sub(r'(<svg[^>]*?) width="[\d.]+" height="[\d.]+"', r"\1", svg, count=1)


def _printable(value: Any) -> Any:
    """The specification with texts that XML can hold, since a control character would end the process. Long texts are
    shortened.
    """
    if isinstance(value, str):
        return shortened(spelled_out(value), MOST_LABEL)
    if isinstance(value, dict):
        return {_printable(str(key)): _printable(item) for key, item in value.items()}
    return [_printable(item) for item in value] if isinstance(value, list) else value


def _vega_lite() -> str:
    """The Vega-Lite version that both Altair and vl-convert support."""
    import altair
    import vl_convert

    version = ".".join(altair.SCHEMA_VERSION.lstrip("v").split(".")[:2])
    known = vl_convert.get_vegalite_versions()
    return version if version in known else known[-1]


def _configuration() -> dict[str, Any]:
    font = "system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif"
    axis = {
        "labelColor": SOFT,
        "titleColor": INK,
        "gridColor": RULE,
        "domainColor": RULE,
        "tickColor": RULE,
        "labelFontSize": 12,
        "titleFontSize": 12.5,
        "titleFontWeight": 600,
        "titlePadding": 10,
        "labelPadding": 6,
        "labelFont": font,
        "titleFont": font,
    }
    legend = {
        "labelColor": INK,
        "titleColor": INK,
        "labelFontSize": 12,
        "titleFontSize": 12.5,
        "orient": "top",
        "symbolSize": 110,
        "symbolOpacity": 1,
        "labelFont": font,
        "titleFont": font,
        "columnPadding": 18,
        "labelLimit": 280,
        "offset": 12,
    }
    return {
        "background": "transparent",
        # The reader's font may be wider than the measured one.
        "padding": {"left": 24, "right": 24, "top": 6, "bottom": 4},
        "font": font,
        "axis": axis,
        "axisX": {"grid": False},
        "legend": legend,
        "view": {"stroke": None},
        "text": {"color": INK, "font": font, "fontSize": 12},
        "header": {"labelColor": INK, "titleColor": INK, "labelFont": font, "labelFontSize": 12},
        "range": {"category": COLOURS},
    }


def _scales(names: list[str]) -> dict[str, Any]:
    import altair as alt

    return {
        "colour": alt.Scale(domain=names, range=[COLOURS[i % len(COLOURS)] for i in range(len(names))]),
        "shape": alt.Scale(domain=names, range=[SHAPES[i % len(SHAPES)] for i in range(len(names))]),
        "dash": alt.Scale(domain=names, range=[DASHES[i % len(DASHES)] for i in range(len(names))]),
    }


def _decades(values: Any) -> list[float]:
    """Powers of ten around some values, for a logarithmic axis; also twice and five times each, if there are few."""
    positive = [value for value in values if value > 0] or [1.0]
    first, last = math.floor(math.log10(min(positive))), math.ceil(math.log10(max(positive)))
    between = (1, 2, 5) if last - first <= 3 else (1,)
    return [times * 10.0**exponent for exponent in range(first, last + 1) for times in between]


FEWEST_TICKS, MOST_TICKS = 3, 6
MARGIN = 1.25  # factor beyond the least and the greatest value of a logarithmic axis, since a point has a size


def _logarithmic(values: Any) -> tuple[Any, list[float]]:
    """A logarithmic scale whose edges no point touches, and its ticks."""
    import altair as alt

    positive = [value for value in values if value > 0] or [1.0]
    low, high = min(positive) / MARGIN, max(positive) * MARGIN
    scale = alt.Scale(type="log", nice=False, domain=[low, high])
    ticks = [tick for tick in _decades(values) if low <= tick <= high]
    if len(ticks) < FEWEST_TICKS:  # all values lie within a part of a decade, so some numbers between them do
        step = 10.0 ** (math.floor(math.log10(high - low)) - 1)
        while (high - low) / step > MOST_TICKS:
            step *= 2 if round(step / 10.0 ** math.floor(math.log10(step))) != 2 else 2.5
        first, last = math.ceil(low / step), math.floor(high / step)
        ticks = [count * step for count in range(first, last + 1)]
    return scale, ticks


MOST_LONG_NUMBERS = 12  # most bars side by side with full numbers; with more bars the numbers are shortened
LETTERS_OF_LEGEND = 84  # width of a legend in the wide rendering, in characters; a symbol takes the room of a few more


def _legend_columns(names: list[str], narrow: bool) -> int:
    """The number of legend entries in a row; 0 for all. A legend wider than the chart would shrink everything."""
    widest = max(map(len, names), default=1)
    if narrow:
        return 1 if widest > 18 else 2
    if sum(len(name) + 5 for name in names) <= LETTERS_OF_LEGEND:
        return 0
    return max(1, min(len(names), LETTERS_OF_LEGEND // (widest + 5)))


def grouped_bars(
    rows: list[dict[str, Any]],
    x: str,
    y: str,
    group: str,
    x_title: str,
    y_title: str,
    y_format: str = "~s",
    order: Sequence[str] = (),
) -> Draw:
    """Draws bars side by side. Rows: {x, y, group, low?, high?}; `low` and `high` draw the range of the trials.

    `order` is the order of the groups, whichever comes first in the rows.
    """

    def draw(width: int, narrow: bool) -> Any:
        import altair as alt
        import pandas as pd

        data = pd.DataFrame(rows)
        xs, places = list(dict.fromkeys(data[x])), {name: place for place, name in enumerate(order)}
        groups = sorted(dict.fromkeys(data[group]), key=lambda name: places.get(name, len(places)))
        base, size = alt.Chart(data), 26 if narrow else 14
        across, along = ("y", "x") if narrow else ("x", "y")
        # Room above the highest bar for its number.
        highest = max((row.get("high", row[y]) for row in rows), default=1.0) or 1.0
        scale = alt.Scale(domain=[0, (1.0 if narrow else 1.08) * highest], nice=narrow)
        position = {
            across: alt.Y(f"{x}:N", sort=xs, title=x_title) if narrow else alt.X(f"{x}:N", sort=xs, title=x_title),
            along: (alt.X if narrow else alt.Y)(
                f"{y}:Q", title=y_title, axis=alt.Axis(format=y_format, tickCount=5, grid=True), scale=scale
            ),
            f"{across}Offset": (alt.YOffset if narrow else alt.XOffset)(f"{group}:N", sort=groups),
        }
        if not narrow:
            lines = alt.Axis(labelAngle=0, labelExpr="split(datum.label, ', ')")  # a long name takes several lines
            position["x"] = alt.X(f"{x}:N", sort=xs, title=x_title, axis=lines)
        legend = alt.Legend(columns=1 if narrow else 0)
        colour = alt.Color(f"{group}:N", scale=_scales(groups)["colour"], sort=groups, title=None, legend=legend)
        bars = base.mark_bar(cornerRadiusEnd=3).encode(color=colour, **position)
        crowded = not narrow and len(xs) * len(groups) > MOST_LONG_NUMBERS
        exact = ".3~s" if crowded else ",.0f"
        text = base.mark_text(
            **({"align": "left", "dx": 6} if narrow else {"baseline": "bottom", "dy": -8}), fontSize=11
        ).encode(text=alt.Text(f"{y}:Q", format=exact if y_format == "~s" else y_format), **position)
        layers = [bars, text]
        if "low" in data:
            span = {
                **position,
                along: (alt.X if narrow else alt.Y)("low:Q", title=y_title),
                f"{along}2": (alt.X2 if narrow else alt.Y2)("high:Q"),
            }
            layers.insert(1, base.mark_rule(color=INK, strokeWidth=1.5).encode(**span))
        height = max(160, size * len(groups) * len(xs) + 20) if narrow else 300
        room = max(width - 70, 10)
        return alt.layer(*layers).properties(width=room if not narrow else width - 110, height=height)

    return draw


def lines(
    points: list[dict[str, Any]],
    x_title: str,
    y_title: str,
    x_format: str = "~s",
    y_format: str = "~s",
    rules: list[tuple[float, str]] | None = None,
    trials: list[dict[str, Any]] | None = None,
    log_y: bool = False,
    log_x: bool = False,
    from_zero: bool = True,
    order: list[str] | None = None,
    x_sort: list[str] | None = None,
    legend: bool = True,
) -> Draw:
    """Draws lines over x, one per `series` of the points {series, x, y}.

    `trials` are raw points behind them; `rules` are levels with a name. A single line that the axes already name needs
    no legend.
    """

    def draw(width: int, narrow: bool) -> Any:
        import altair as alt
        import pandas as pd

        data = pd.DataFrame(points)
        names = order or list(dict.fromkeys(data["series"]))
        scales = _scales(names)
        x_axis = alt.Axis(format=x_format, tickCount=4 if narrow else 8, grid=False)
        if x_sort:
            x = alt.X("x:N", sort=x_sort, title=x_title, axis=alt.Axis(labelAngle=0))
        elif log_x:
            scale, ticks = _logarithmic(data["x"])
            x = alt.X("x:Q", title=x_title, axis=alt.Axis(format=x_format, values=ticks, grid=False), scale=scale)
        else:
            x = alt.X("x:Q", title=x_title, axis=x_axis, scale=alt.Scale(zero=from_zero, nice=from_zero))
        y_scale, y_ticks = _logarithmic(data["y"]) if log_y else (alt.Scale(zero=True), None)
        y_axis = alt.Axis(format=y_format, grid=True, **({"values": y_ticks} if log_y else {"tickCount": 5}))
        y = alt.Y("y:Q", title=y_title, axis=y_axis, scale=y_scale)
        shown_legend = alt.Legend(columns=_legend_columns(names, narrow), symbolStrokeWidth=0) if legend else None
        colour = alt.Color("series:N", scale=scales["colour"], sort=names, title=None, legend=shown_legend)
        base = alt.Chart(data)
        layers = []
        if trials:
            shape = alt.Shape("series:N", scale=scales["shape"], sort=names, legend=None)
            faint = alt.Chart(pd.DataFrame(trials)).mark_point(filled=True, size=16, opacity=0.35)
            layers.append(faint.encode(x=x, y=y, color=colour, shape=shape))
        dash = alt.StrokeDash("series:N", scale=scales["dash"], sort=names, legend=None)
        layers.append(base.mark_line(strokeWidth=2.2).encode(x=x, y=y, color=colour, strokeDash=dash))
        shape = alt.Shape("series:N", scale=scales["shape"], sort=names, title=None, legend=shown_legend)
        layers.append(base.mark_point(filled=True, size=46, opacity=1).encode(x=x, y=y, color=colour, shape=shape))
        return alt.layer(*layers, *_levels(rules or [])).properties(
            width=width - (58 if narrow else 74), height=220 if narrow else 300
        )

    return draw


def _levels(rules: list[tuple[float, str]]) -> list[Any]:
    """A dashed line with its name for each level."""
    import altair as alt
    import pandas as pd

    layers: list[Any] = []
    for level, name in rules:
        mark = alt.Chart(pd.DataFrame([{"level": level, "name": name}]))
        text = mark.mark_text(align="left", baseline="bottom", dx=4, dy=-3, color=SOFT, fontSize=11)
        layers.append(mark.mark_rule(color=SOFT, strokeDash=[4, 4]).encode(y="level:Q"))
        layers.append(text.encode(y="level:Q", x=alt.value(0), text="name:N"))
    return layers


def stacked_bars(rows: list[dict[str, Any]], x_title: str, y_title: str, parts: list[str]) -> Draw:
    """Draws horizontal bars made of parts. Rows: {name, part, value}."""

    def draw(width: int, narrow: bool) -> Any:
        import altair as alt
        import pandas as pd

        data = pd.DataFrame(rows)
        data["order"] = [parts.index(part) for part in data["part"]]
        names = list(dict.fromkeys(data["name"]))
        return (
            alt.Chart(data)
            .mark_bar(cornerRadiusEnd=2)
            .encode(
                y=alt.Y(
                    "name:N",
                    sort=names,
                    title=y_title if not narrow else None,
                    axis=alt.Axis(labelLimit=120 if narrow else 220),
                ),
                x=alt.X("value:Q", title=x_title, stack="zero", axis=alt.Axis(tickCount=5, grid=True)),
                color=alt.Color(
                    "part:N",
                    scale=_scales(parts)["colour"],
                    sort=parts,
                    title=None,
                    legend=alt.Legend(columns=2 if narrow else 0),
                ),
                order="order:Q",
            )
            .properties(width=width - (120 if narrow else 180), height=max(90, 34 * len(names)))
        )

    return draw


def packet_sizes(points: list[dict[str, Any]], marks: list[dict[str, Any]]) -> Draw:
    """Draws header octets of each packet of a call: points {x, y, kind}, and behind them spans {from, to, what}, such
    as silence.
    """

    def draw(width: int, narrow: bool) -> Any:
        import altair as alt
        import pandas as pd

        data = pd.DataFrame(points)
        kinds = list(dict.fromkeys(data["kind"]))
        scales = _scales(kinds)
        legend = alt.Legend(columns=2 if narrow else 0)
        layers = []
        spans = [mark for mark in marks if mark["to"] > mark["from"]]
        if spans:
            layers.append(
                alt.Chart(pd.DataFrame(spans)).mark_rect(opacity=0.5, color=RULE).encode(x=alt.X("from:Q"), x2="to:Q")
            )
        x = alt.X(
            "x:Q",
            title="time, s",
            axis=alt.Axis(tickCount=4 if narrow else 10, grid=False),
            scale=alt.Scale(nice=False),
        )
        # A linear scale would flatten all packets but the initialisation packets, which are twenty times as large.
        octets = [1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128]
        y = alt.Y(
            "y:Q",
            title="header on the link, octets",
            axis=alt.Axis(values=octets, grid=True),
            scale=alt.Scale(type="log", base=2, nice=False),
        )
        layers.append(
            alt.Chart(data)
            .mark_line(interpolate="step-after", strokeWidth=0.8, color=SOFT, opacity=0.6)
            .encode(x=x, y=y)
        )
        layers.append(
            alt.Chart(data)
            .mark_point(filled=True, size=22, opacity=0.9)
            .encode(
                x=x,
                y=y,
                color=alt.Color("kind:N", scale=scales["colour"], sort=kinds, title=None, legend=legend),
                shape=alt.Shape("kind:N", scale=scales["shape"], sort=kinds, title=None, legend=legend),
            )
        )
        return alt.layer(*layers).properties(width=width - (58 if narrow else 74), height=220 if narrow else 280)

    return draw


def strip(rows: list[dict[str, Any]], references: list[dict[str, Any]], x_title: str) -> Draw:
    """Draws one dot per run {name, value}, with the paper's value {name, value} as a diamond on the same line.

    Each name has a scale of its own.
    """

    def draw(width: int, narrow: bool) -> Any:
        import altair as alt
        import pandas as pd

        charts = []
        for name in dict.fromkeys(row["name"] for row in rows):
            mine = pd.DataFrame([{"value": r["value"], "what": "one run each"} for r in rows if r["name"] == name])
            theirs = pd.DataFrame([{"value": r["value"], "what": "the paper"} for r in references if r["name"] == name])
            kinds = ["one run each", "the paper"]
            scale = alt.Scale(domain=kinds, range=[COLOURS[0], COLOURS[1]])
            shapes = alt.Scale(domain=kinds, range=["circle", "diamond"])
            legend = None if charts else alt.Legend(title=None)
            x = alt.X(
                "value:Q",
                title=name,
                scale=alt.Scale(zero=False, nice=True),
                axis=alt.Axis(tickCount=4 if narrow else 8),
            )
            encoding = {
                "x": x,
                "color": alt.Color("what:N", scale=scale, title=None, legend=legend),
                "shape": alt.Shape("what:N", scale=shapes, title=None, legend=legend),
            }
            dots = alt.Chart(mine).mark_point(filled=True, size=34, opacity=0.45).encode(**encoding)
            layers = [dots]
            if len(theirs):
                layers.append(
                    alt.Chart(theirs).mark_point(filled=True, size=150, stroke=INK, strokeWidth=1).encode(**encoding)
                )
            charts.append(alt.layer(*layers).properties(width=width - 40, height=26))
        return alt.vconcat(*charts, spacing=14)

    return draw


def dots(rows: list[dict[str, Any]], x_title: str, series: list[str]) -> Draw:
    """Draws a line for each name with a dot for each series on it, along a logarithmic scale. Rows: {name, series,
    value}.
    """

    def draw(width: int, narrow: bool) -> Any:
        import altair as alt
        import pandas as pd

        data = pd.DataFrame(rows)
        names = list(dict.fromkeys(data["name"]))
        scales = _scales(series)
        scale, ticks = _logarithmic(data["value"])
        y = alt.Y("name:N", sort=names, title=None, axis=alt.Axis(labelLimit=110 if narrow else 230, grid=False))
        x = alt.X("value:Q", title=x_title, scale=scale, axis=alt.Axis(values=ticks, format="~s", grid=True))
        legend = alt.Legend(columns=1 if narrow else len(series), symbolStrokeWidth=0)
        span = alt.Chart(data).mark_line(color=RULE, strokeWidth=3).encode(x=x, y=y, detail="name:N")
        points = (
            alt.Chart(data)
            .mark_point(filled=True, size=70, opacity=1)
            .encode(
                x=x,
                y=y,
                color=alt.Color("series:N", scale=scales["colour"], sort=series, title=None, legend=legend),
                shape=alt.Shape("series:N", scale=scales["shape"], sort=series, title=None, legend=legend),
            )
        )
        return alt.layer(span, points).properties(width=width - (130 if narrow else 250), height=30 * len(names))

    return draw
