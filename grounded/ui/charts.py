"""Figures. Each answers one question and says it in its title; its numbers are in the table beside it.

Meaning never hangs on colour alone: verdicts are written beside their bars, parts of a bar differ by pattern. Numbers
stand in the labels of the axis, where no width of the screen cuts them off.
Plotly reads some tags in its texts, so whatever a document or a model wrote is escaped on its way in.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from grounded.types import HitRecord, VerifiedClaim
from grounded.ui import words
from grounded.ui.theme import Palette

Figure = Any  # plotly ships no types
_ROW = 30  # pixels a bar takes
_FONT = '"Source Sans", sans-serif'  # Streamlit's own
_WRAP = 60  # characters of a hover line


def claims_by_confidence(claims: Sequence[VerifiedClaim], colours: Palette) -> Figure:
    """How sure is each claim? One bar a claim, least sure first."""
    import plotly.graph_objects as go

    ordered = sorted(enumerate(claims, 1), key=lambda item: -item[1].verdict.confidence)
    bars = go.Bar(
        orientation="h",
        x=[claim.verdict.confidence for _, claim in ordered],
        y=[f"{number} {_verdict(claim)}" for number, claim in ordered],
        marker={"color": [colours.verdicts[claim.verdict.status] for _, claim in ordered]},
        customdata=[[_hover(claim.text), _hover(claim.verdict.reason)] for _, claim in ordered],
        hovertemplate="%{customdata[0]}<br>confidence %{x:.3f}<br>%{customdata[1]}<extra></extra>",
    )
    figure = _figure([bars], "How sure is each claim?", colours, rows=len(claims))
    figure.update_xaxes(range=[0, 1], tickvals=[0, 0.25, 0.5, 0.75, 1], title="confidence")
    return figure


def sources_by_parts(hits: Sequence[HitRecord], colours: Palette) -> Figure:
    """What made each source relevant? 0.7 · cosine + 0.3 · section match, best source on top."""
    import plotly.graph_objects as go

    ordered = sorted(hits, key=lambda hit: hit.retrieval_confidence)
    names = [_source_name(hit) for hit in ordered]
    hover = [[_hover(words.where(hit)), hit.cosine, hit.section_match, hit.retrieval_confidence] for hit in ordered]
    shared = {"orientation": "h", "y": names, "customdata": hover}
    template = "%{customdata[0]}<br>cosine %{customdata[1]:.3f} · section match %{customdata[2]:.2f}<br>retrieval confidence %{customdata[3]:.3f}<extra></extra>"  # noqa: E501
    cosine = go.Bar(
        name="0.7 · cosine", x=[0.7 * hit.cosine for hit in ordered], hovertemplate=template,
        marker={"color": colours.accent}, **shared,
    )  # fmt: skip
    section = go.Bar(
        name="0.3 · section match", x=[0.3 * hit.section_match for hit in ordered], hovertemplate=template,
        marker={"color": colours.soft, "pattern": {"shape": "/", "fgcolor": colours.line}}, **shared,
    )  # fmt: skip
    figure = _figure([cosine, section], "What made each source relevant?", colours, rows=len(hits))
    figure.update_layout(barmode="stack", showlegend=True, margin={"b": 48}, height=figure.layout.height + 40)
    figure.update_xaxes(title="retrieval confidence")
    return figure


def ranks(hits: Sequence[HitRecord], colours: Palette) -> Figure:
    """Did reranking change what was read? One line a passage; dotted lines did not go to the reader."""
    import plotly.graph_objects as go

    lines = [
        go.Scatter(
            x=["retrieved", "reranked"],
            y=[hit.retrieved_rank, hit.reranked_rank],
            mode="lines+markers",
            line={
                "color": colours.accent if hit.in_context else colours.soft,
                "dash": None if hit.in_context else "dot",
            },
            marker={"symbol": "circle" if hit.in_context else "x"},
            hovertemplate=f"{_hover(words.where(hit))}<br>rank %{{y}}<br>{_hover(_use(hit))}<extra></extra>",
        )
        for hit in hits
    ]
    figure = _figure(lines, "Did reranking change what was read?", colours, rows=max(6, len(hits)))
    figure.update_yaxes(autorange="reversed", title="rank", dtick=1 if len(hits) <= 12 else None)
    return figure


def timing(timings_ms: Mapping[str, float], colours: Palette) -> Figure:
    """Where did the time go? One bar a step, in the order they ran."""
    import plotly.graph_objects as go

    steps = [(name, value) for name, value in words.in_order(timings_ms).items() if name != "total"][::-1]
    bars = go.Bar(
        orientation="h",
        x=[value for _, value in steps],
        y=[f"{name} · {value:,.0f} ms" for name, value in steps],
        marker={"color": colours.accent},
        customdata=[name for name, _ in steps],
        hovertemplate="%{customdata}: %{x:,.1f} ms<extra></extra>",
    )
    figure = _figure([bars], "Where did the time go?", colours, rows=len(steps))
    figure.update_xaxes(title="milliseconds", rangemode="tozero")
    return figure


def waterfall(spans: Sequence[tuple[str, float, float]], colours: Palette) -> Figure:
    """When did each step run? (name, start, duration) in milliseconds since the question, in order."""
    import plotly.graph_objects as go

    names = [f"{number}. {name} · {took:,.0f} ms" for number, (name, _, took) in enumerate(spans, 1)][::-1]
    bars = go.Bar(
        orientation="h",
        y=names,
        base=[start for _, start, _ in spans][::-1],
        x=[max(duration, 0.5) for _, _, duration in spans][::-1],
        customdata=[[start, duration] for _, start, duration in spans][::-1],
        marker={"color": colours.accent},
        hovertemplate="%{y}<br>from %{customdata[0]:,.1f} ms, for %{customdata[1]:,.1f} ms<extra></extra>",
    )
    figure = _figure([bars], "When did each step run?", colours, rows=len(spans))
    figure.update_xaxes(title="milliseconds since the question", rangemode="tozero")
    return figure


def recall_by_k(stages: Mapping[str, Sequence[tuple[int, float]]], colours: Palette) -> Figure:
    """How many gold pages are among the first k? A line a stage of retrieval."""
    import plotly.graph_objects as go

    dashes = {"retrieved": "dot", "reranked": None, "read": "dash"}
    lines = [
        go.Scatter(
            name=name,
            x=[str(k) for k, _ in points],
            y=[value for _, value in points],
            mode="lines+markers",
            line={"color": colours.accent if name == "reranked" else colours.soft, "dash": dashes.get(name)},
            hovertemplate=f"recall@%{{x}} {_hover(name)}: %{{y:.3f}}<extra></extra>",
        )
        for name, points in stages.items()
    ]
    figure = _figure(lines, "How many gold pages are among the first k?", colours, rows=6)
    figure.update_layout(showlegend=True, margin={"b": 48}, height=figure.layout.height + 40)
    figure.update_xaxes(title="k", type="category")
    figure.update_yaxes(title="recall", range=[0, 1.05])
    return figure


def reliability(bins: Mapping[str, Sequence[tuple[float, float, int]]], colours: Palette) -> Figure:
    """Are the confidences right? (confidence, share right, cases) a dot; on the line they are."""
    import plotly.graph_objects as go

    ideal = go.Scatter(
        name="as sure as right", x=[0, 1], y=[0, 1], mode="lines", hoverinfo="skip", line={"color": colours.line}
    )
    dots = [
        go.Scatter(
            name=name,
            x=[sure for sure, _, _ in found],
            y=[right for _, right, _ in found],
            customdata=[[cases] for _, _, cases in found],
            mode="lines+markers",
            line={"color": colours.accent if name == "verdicts" else colours.soft, "dash": "dot"},
            marker={
                "symbol": "circle" if name == "verdicts" else "diamond",
                "size": [min(26.0, 7 + cases**0.5) for _, _, cases in found],
            },
            hovertemplate="confidence %{x:.2f}, right %{y:.2f}<br>%{customdata[0]} cases<extra></extra>",
        )
        for name, found in bins.items()
    ]
    figure = _figure([ideal, *dots], "Are the confidences right?", colours, rows=8)
    figure.update_layout(showlegend=True, margin={"b": 48}, height=figure.layout.height + 40)
    figure.update_xaxes(title="confidence", range=[0, 1.05])
    figure.update_yaxes(title="share right", range=[-0.05, 1.08])
    return figure


def right_by_kind(kinds: Sequence[tuple[str, int, int]], colours: Palette) -> Figure:
    """Which kinds fail? (kind, right, cases), worst on top."""
    import plotly.graph_objects as go

    ordered = sorted(kinds, key=lambda kind: -kind[1] / kind[2])
    wrong = go.Bar(
        orientation="h",
        x=[1 - right / cases for _, right, cases in ordered],
        y=[f"{_label(kind)} · {cases - right} of {cases}" for kind, right, cases in ordered],
        customdata=[[_hover(kind), cases - right, cases] for kind, right, cases in ordered],
        marker={"color": colours.verdicts["contradicted"]},
        hovertemplate="%{customdata[0]}: %{customdata[1]} of %{customdata[2]} wrong<extra></extra>",
    )
    figure = _figure([wrong], "Which kinds fail?", colours, rows=len(kinds))
    figure.update_xaxes(title="share wrong", range=[0, 1])
    return figure


def before_after(pairs: Sequence[tuple[str, float, float]], colours: Palette) -> Figure:
    """What did the second run change? (metric, first, second), a line a metric from one to the other."""
    import plotly.graph_objects as go

    ordered = pairs[::-1]
    names = [_label(name) for name, _, _ in ordered]
    x: list[float | None] = []
    y: list[str | None] = []
    for (_, first, second), name in zip(ordered, names, strict=True):
        x += [first, second, None]
        y += [name, name, None]
    between = go.Scatter(x=x, y=y, mode="lines", hoverinfo="skip", showlegend=False, line={"color": colours.line})
    runs = [
        go.Scatter(
            name=name,
            x=[pair[place] for pair in ordered],
            y=names,
            mode="markers",
            marker={"symbol": symbol, "size": 10, "color": colour},
            hovertemplate=f"%{{y}}, {name}: %{{x:.3f}}<extra></extra>",
        )
        for name, place, symbol, colour in (
            ("first run", 1, "circle-open", colours.soft),
            ("second run", 2, "circle", colours.accent),
        )
    ]
    figure = _figure([between, *runs], "What did the second run change?", colours, rows=len(pairs))
    figure.update_layout(showlegend=True, margin={"b": 48}, height=figure.layout.height + 40)
    return figure


def _figure(traces: Iterable[Any], title: str, colours: Palette, *, rows: int) -> Figure:
    import plotly.graph_objects as go

    figure = go.Figure(list(traces))
    figure.update_layout(
        title={"text": title, "x": 0, "font": {"size": 15, "color": colours.text}},
        height=110 + _ROW * max(1, rows),
        margin={"l": 8, "r": 8, "t": 40, "b": 8},
        showlegend=False,
        legend={"orientation": "h", "yref": "container", "y": 0, "yanchor": "bottom", "x": 0},
        font={"color": colours.text, "family": _FONT},
        paper_bgcolor="rgba(0,0,0,0)",
        plot_bgcolor="rgba(0,0,0,0)",
        bargap=0.35,
        dragmode=False,
    )
    figure.update_xaxes(gridcolor=colours.line, zerolinecolor=colours.line, automargin=True)
    figure.update_yaxes(gridcolor=colours.line, automargin=True)
    return figure


def _verdict(claim: VerifiedClaim) -> str:
    verdict = claim.verdict
    return f"{words.STATUS_MARK[verdict.status]} {verdict.status} {verdict.confidence:.2f}"


def _source_name(hit: HitRecord) -> str:
    return hit.source_id or f"rank {hit.reranked_rank}"


def _use(hit: HitRecord) -> str:
    return f"read as {hit.source_id}" if hit.in_context else f"not read: {hit.trimmed or 'ranked too low'}"


def _label(text: str) -> str:
    """A bar's name, on one line."""
    return html.escape(text if len(text) <= 40 else text[:39] + "…")


def _hover(text: str) -> str:
    """Escaped, in lines of bounded length; `%{` would open a template."""
    lines, line = [], ""
    for word in text.replace("%{", "% {").split():
        if line and len(line) + len(word) >= _WRAP:
            lines.append(line)
            line = ""
        line = f"{line} {word}".strip()[: 2 * _WRAP]
    return "<br>".join(html.escape(part) for part in [*lines, line][:6])
