"""Rates, coefficients and intervals in words, for templates."""

from __future__ import annotations

from typing import Any

from adjudication.review.agreement import Agreement, Figure, Interval, Pair
from adjudication.review.dimensions import Dimension
from adjudication.review.queries.agreement import Measured


def rows_of(
    found: tuple[tuple[Dimension, Agreement], ...],
) -> list[dict[str, Any]]:
    """One row per dimension."""
    return [{"dimension": dimension, **_row(one)} for dimension, one in found]


def _row(one: Agreement) -> dict[str, Any]:
    value = one.rate.value
    return {
        "rate": one.rate,
        "percent": "" if value is None else f"{100 * value:.1f} %",
        "rate_interval": _interval(one.rate_interval, 100, 1),
        "alpha": coefficient(one.alpha),
        "alpha_reason": one.alpha.reason,
        "alpha_interval": _interval(one.alpha_interval, 1, 3),
        # Said once, where the figure itself has no reason.
        "no_interval": "" if one.alpha.reason else one.alpha_interval.reason,
    }


def people_of(found: Measured) -> list[dict[str, Any]]:
    """One row per pair of reviewers."""
    return [
        {
            "names": people.names,
            "sets": people.sets,
            "cells": [_cell(d, pair) for d, pair in people.pairs],
        }
        for people in found.people
    ]


def _cell(dimension: Dimension, pair: Pair) -> dict[str, Any]:
    return {"label": dimension.label, "rate": pair.rate, "kappa": coefficient(pair.kappa)}


def coefficient(figure: Figure) -> str:
    """To three decimals, with a minus sign; "" where undefined."""
    return "" if figure.value is None else _decimal(figure.value, 3)


def _interval(one: Interval, times: int, places: int) -> str:
    if one.low is None or one.high is None:
        return ""
    return f"{_decimal(times * one.low, places)} to {_decimal(times * one.high, places)}"


def _decimal(value: float, places: int) -> str:
    # Nothing is "minus nought".
    return f"{round(value, places) + 0.0:.{places}f}".replace("-", "\N{MINUS SIGN}")
