"""Walking edges backwards: what a target may rest on, and where that runs in circles."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from certify_core.closure import Compiled


def producers(compiled: Compiled, wanted: Callable[[int], bool]) -> dict[int, list[int]]:
    """The wanted edges (by number) of every head.

    An edge whose tail holds its own head is never the reason for it and is left out.
    """
    result: dict[int, list[int]] = {}
    for number, edge in enumerate(compiled.edges):
        if wanted(number) and edge.head not in edge.tail:
            result.setdefault(compiled.heads[number], []).append(number)
    return result


def reachable(
    start: Iterable[int], compiled: Compiled, by_head: Mapping[int, Iterable[int]]
) -> list[int]:
    """``start`` and every atom behind it, each once, in the order found."""
    found = dict.fromkeys(start)
    stack = list(found)
    while stack:
        for edge in by_head.get(stack.pop(), ()):
            for premise in compiled.tail(edge):
                if premise not in found:
                    found[premise] = None
                    stack.append(premise)
    return list(found)


def cyclic(successors: Mapping[int, Iterable[int]]) -> set[int]:
    """The nodes that lie on a cycle of a graph without loops (Tarjan 1972, iterative)."""
    index: dict[int, int] = {}
    low: dict[int, int] = {}
    path: list[int] = []
    on_path: set[int] = set()
    result: set[int] = set()
    for root in successors:
        work = [] if root in index else [(root, iter(successors[root]))]
        while work:
            node, rest = work[-1]
            if node not in index:
                index[node] = low[node] = len(index)
                path.append(node)
                on_path.add(node)
            step = next(rest, None)
            if step is None:
                work.pop()
                if work:
                    parent = work[-1][0]
                    low[parent] = min(low[parent], low[node])
                if low[node] == index[node]:
                    component = _pop_until(path, node)
                    on_path.difference_update(component)
                    result.update(component if len(component) > 1 else ())
            elif step not in index:
                work.append((step, iter(successors[step])))
            elif step in on_path:
                low[node] = min(low[node], index[step])
    return result


def _pop_until(path: list[int], node: int) -> list[int]:
    component = [path.pop()]
    while component[-1] != node:
        component.append(path.pop())
    return component
