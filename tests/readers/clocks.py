"""A clock for tests: waiting takes no time, and is kept."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from adjudication.readers.transport import Clock


@dataclass
class Waiting:
    """Real time plus what was waited for."""

    waits: list[float] = field(default_factory=list)

    @property
    def waited(self) -> float:
        return sum(self.waits)

    @property
    def clock(self) -> Clock:
        return Clock(
            monotonic=lambda: time.monotonic() + self.waited,
            wall=lambda: time.time() + self.waited,
            sleep=self.waits.append,
            chance=lambda: 1.0,
        )
