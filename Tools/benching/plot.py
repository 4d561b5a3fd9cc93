"""Panels of lines with a logarithmic x axis, as SVG that needs nothing else."""

from __future__ import annotations

import math
from dataclasses import dataclass
from html import escape

WIDTH, HEIGHT, GAP = 460, 320, 40
LEFT, TOP, BOTTOM = 76, 84, 76
INK, FAINT, PAPER = "#1f2328", "#d8dee4", "#ffffff"
COLOURS = ("#0b62c4", "#c2410c", "#1a7f37", "#6e40c9")


@dataclass
class Line:
    """What one subject has at each x: the least, the median and the most of all rounds."""

    name: str
    points: list[tuple[float, float, float, float]]


@dataclass
class Panel:
    """One pair of axes with its lines."""

    title: str
    x_label: str
    lines: list[Line]


def text(x: float, y: float, words: str, size: int = 14, anchor: str = "middle",
         more: str = "") -> str:
    """Words at a place."""
    return f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" text-anchor="{anchor}" ' \
           f'fill="{INK}"{more}>{escape(words)}</text>'


def stroke(x1: float, y1: float, x2: float, y2: float, colour: str, width: float = 1) -> str:
    """A straight line."""
    return f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{colour}" ' \
           f'stroke-width="{width}"/>'


def step(most: float) -> float:
    """The distance of marks on an axis from zero to `most`: 1, 2 or 5 of some power of ten."""
    rough = most / 5
    power = 10 ** math.floor(math.log10(rough))
    return next(power * each for each in (1, 2, 5, 10) if power * each >= rough)


def svg(title: str, y_label: str, panels: list[Panel]) -> str:
    """The picture; all panels have the same y axis, which begins at zero."""
    width = len(panels) * (LEFT + WIDTH + GAP) - GAP + 30
    height = TOP + HEIGHT + BOTTOM
    most = max(high for panel in panels for line in panel.lines for *_, high in line.points)
    mark = step(most)
    top = mark * math.ceil(most / mark)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="Helvetica, Arial, sans-serif">',
        f'<rect width="{width}" height="{height}" fill="{PAPER}"/>',
        text(width / 2, 28, title, 18),
    ]
    for number, panel in enumerate(panels):
        left = LEFT + number * (LEFT + WIDTH + GAP)
        parts += drawn(panel, left, y_label, mark, top)
    return "\n".join([*parts, "</svg>", ""])


def drawn(panel: Panel, left: float, y_label: str, mark: float, top: float) -> list[str]:
    """The parts of one panel."""
    places = sorted({x for line in panel.lines for x, *_ in line.points})
    first, last = math.log10(places[0]), math.log10(places[-1])
    margin, floor = 30, TOP + HEIGHT

    def across(x: float) -> float:
        share = (math.log10(x) - first) / (last - first) if last > first else 0.5
        return left + margin + share * (WIDTH - 2 * margin)

    def up(y: float) -> float:
        return floor - y / top * HEIGHT

    parts = [text(left + WIDTH / 2, TOP - 30, panel.title, 15)]
    for number in range(round(top / mark) + 1):
        y = up(number * mark)
        parts += [stroke(left, y, left + WIDTH, y, FAINT),
                  text(left - 10, y + 5, f"{number * mark:g}", anchor="end")]
    for x in places:
        parts += [stroke(across(x), floor, across(x), floor + 6, INK),
                  text(across(x), floor + 24, f"{x:,.0f}")]
    parts += [
        stroke(left, floor, left + WIDTH, floor, INK, 1.5), stroke(left, TOP, left, floor, INK, 1.5),
        text(left + WIDTH / 2, floor + 54, panel.x_label),
        text(0, 0, y_label, more=f' transform="translate({left - 54:.0f} {TOP + HEIGHT / 2:.0f}) '
                                 'rotate(-90)"'),
    ]
    for number, line in enumerate(panel.lines):
        colour = COLOURS[number % len(COLOURS)]
        path = " ".join(f"{across(x):.1f},{up(middle):.1f}" for x, _, middle, _ in line.points)
        parts.append(f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2.5"/>')
        for x, low, middle, high in line.points:
            parts += [stroke(across(x), up(low), across(x), up(high), colour, 1.5),
                      *(stroke(across(x) - 5, up(end), across(x) + 5, up(end), colour, 1.5)
                        for end in (low, high)),
                      f'<circle cx="{across(x):.1f}" cy="{up(middle):.1f}" r="4" fill="{colour}"/>']
        key = left + 10 + number * 170
        parts += [stroke(key, TOP - 10, key + 24, TOP - 10, colour, 2.5),
                  text(key + 30, TOP - 5, line.name, anchor="start")]
    return parts
