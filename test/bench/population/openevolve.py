"""OpenEvolve's program database alone, beside ours: draws a parent with inspirations and adds its child, at several sizes.

Called by openevolve.ts: python -I openevolve.py <sizes, e.g. 1000,3000,10000> <seconds a size is measured> <seconds for all filling>
Prints one JSON object a line, {"programs", "alive", "fillSeconds", "drawn", "programsPerSecond", "residentMb"} for each size reached;
first {"version"}. In memory and with its default settings (5 islands), but for a population size that nothing is evicted by.
"""

import json
import logging
import random
import sys
import time
from importlib.metadata import version

from openevolve.config import DatabaseConfig
from openevolve.database import Program, ProgramDatabase

CODE_BYTES = 4096
INSPIRATIONS = 5


def code_of(number: int) -> str:
    """About 4 KB of Python, no two alike."""
    source = random.Random(number)
    lines = [f"def construct_{number}(n):", "    values = []"]
    size = 0
    while size < CODE_BYTES - 80:
        line = f"    values.append(n * {source.random():.6f} + {source.randrange(1000)} - len(values) / {source.randrange(1, 99)})"
        lines.append(line)
        size += len(line) + 1
    return "\n".join([*lines, "    return values", ""])


def resident_mb() -> int:
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("VmRSS")) // 1000


class World:
    """A database that grows by the children of parents it draws itself."""

    def __init__(self) -> None:
        logging.disable(logging.CRITICAL)
        self.database = ProgramDatabase(DatabaseConfig(in_memory=True, population_size=10_000_000))
        self.made = 0
        self.scores = random.Random(1)

    def add(self, parent: Program | None, island: int | None) -> None:
        self.made += 1
        before = parent.metrics["combined_score"] if parent else 2.0
        score = before + self.scores.gauss(-0.004, 0.01)
        program = Program(
            id=f"program-{self.made}", code=code_of(self.made), parent_id=parent.id if parent else None, iteration_found=self.made,
            metrics={"combined_score": score},
        )
        self.database.add(program, iteration=self.made, target_island=island)

    def fill_one(self) -> None:
        """Without drawing: drawing is what takes long."""
        self.add(None, self.made % len(self.database.islands))

    def step_one(self) -> None:
        """As OpenEvolve's own loop: islands in turn, a parent of the island with inspirations, its child into the same island."""
        island = self.made % len(self.database.islands)
        parent, _ = self.database.sample_from_island(island, num_inspirations=INSPIRATIONS)
        self.add(parent, island)


def measure(world: World, seconds: float) -> tuple[int, float]:
    began = time.perf_counter()
    count = 0
    while count == 0 or time.perf_counter() - began < seconds:
        world.step_one()
        count += 1
    return count, time.perf_counter() - began


def main() -> None:
    sizes = [int(size) for size in sys.argv[1].split(",")]
    seconds, patience = float(sys.argv[2]), float(sys.argv[3])
    print(json.dumps({"version": version("openevolve")}), flush=True)
    world = World()
    filling = 0.0
    for size in sizes:
        began = time.perf_counter()
        while len(world.database.programs) < size:
            if filling + time.perf_counter() - began > patience:
                return
            world.fill_one()
        filling += time.perf_counter() - began
        alive = len(world.database.programs)
        drawn, took = measure(world, seconds)
        print(json.dumps({
            "programs": size, "alive": alive, "fillSeconds": round(filling, 2), "drawn": drawn,
            "programsPerSecond": round(drawn / took, 2), "residentMb": resident_mb(),
        }), flush=True)


if __name__ == "__main__":
    main()
