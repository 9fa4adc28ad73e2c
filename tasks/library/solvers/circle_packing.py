"""Basin hopping over circle packings, each basin's bottom found by linear programs. Called by fixtures/gold of the circle packing tasks.

The distance of two centres is convex in them, so a packing that keeps the tangents of all distances keeps the distances: every linear program
starts and ends with a packing, its sum of radii never falls, and near a tight packing the steps converge quadratically.
"""
from dataclasses import dataclass

import numpy as np
from scipy.optimize import linprog
from scipy.sparse import csr_matrix

REACH = 0.1
MOST_PROGRAMS = 60
LEAST_GAIN = 1e-9
PATIENCE = 60
CONTACT = 1e-8


@dataclass
class Packing:
    centres: np.ndarray  # [n, 2], inside [0, width] x [0, 2 - width]
    radii: np.ndarray  # [n]
    width: float

    def total(self):
        return float(self.radii.sum())

    def rows(self):
        return [[float(x), float(y), float(r)] for (x, y), r in zip(self.centres, self.radii)]


def near_pairs(packing, within):
    """(i [m], j [m], distances [m], unit vectors from i to j [m, 2]) of the pairs with a gap of at most `within`."""
    i, j = np.triu_indices(len(packing.radii), 1)
    between = packing.centres[j] - packing.centres[i]
    length = np.hypot(between[:, 0], between[:, 1])
    near = np.flatnonzero(length - packing.radii[i] - packing.radii[j] < within)
    length = np.maximum(length[near], 1e-12)
    return i[near], j[near], length, between[near] / length[:, None]


def pair_rows(packing, within):
    """Rows (A, b) of A v <= b over v = moves in x [n], moves in y [n], new radii [n], new width: r_i + r_j <= tangent of the distance."""
    n = len(packing.radii)
    i, j, length, unit = near_pairs(packing, within)
    one = np.ones(len(i))
    columns = np.concatenate([j, i, j + n, i + n, i + 2 * n, j + 2 * n])
    values = np.concatenate([-unit[:, 0], unit[:, 0], -unit[:, 1], unit[:, 1], one, one])
    return csr_matrix((values, (np.tile(np.arange(len(i)), 6), columns)), shape=(len(i), 3 * n + 1)), length


def wall_rows(packing):
    """Rows of the four walls: r <= x, r <= y, x + r <= width, y + r <= 2 - width."""
    n = len(packing.radii)
    x, y = packing.centres.T
    k, one, last = np.arange(n), np.ones(n), np.full(n, 3 * n)
    parts = [(k, k, -one), (k, k + 2 * n, one), (k + n, k + n, -one), (k + n, k + 2 * n, one),
             (k + 2 * n, k, one), (k + 2 * n, k + 2 * n, one), (k + 2 * n, last, -one),
             (k + 3 * n, k + n, one), (k + 3 * n, k + 2 * n, one), (k + 3 * n, last, one)]
    rows, columns, values = (np.concatenate(part) for part in zip(*parts))
    return csr_matrix((values, (rows, columns)), shape=(4 * n, 3 * n + 1)), np.concatenate([x, y, -x, 2.0 - y])


def improved(packing, widths):
    """The best packing within reach that keeps all tangents, by one linear program; None where the solver gives up."""
    n = len(packing.radii)
    pairs, pair_sides = pair_rows(packing, 2 * np.sqrt(2) * REACH + 2 * REACH)
    walls, wall_sides = wall_rows(packing)
    stacked = csr_matrix((np.concatenate([pairs.data, walls.data]), np.concatenate([pairs.indices, walls.indices]),
                          np.concatenate([pairs.indptr, pairs.indptr[-1] + walls.indptr[1:]])), shape=(pairs.shape[0] + walls.shape[0], 3 * n + 1))
    cost = np.concatenate([np.zeros(2 * n), -np.ones(n), [0.0]])
    bounds = [(-REACH, REACH)] * (2 * n) + [(max(0.0, r - REACH), r + REACH) for r in packing.radii] + [widths]
    found = linprog(cost, A_ub=stacked, b_ub=np.concatenate([pair_sides, wall_sides]), bounds=bounds, method="highs-ds",
                    options={"primal_feasibility_tolerance": 1e-9})
    if found.x is None:
        return None
    moves = found.x[: 2 * n].reshape(2, n).T
    return Packing(packing.centres + moves, found.x[2 * n : 3 * n].copy(), float(found.x[3 * n]))


def descend(packing, widths, hopeless=0.0):
    """Linear programs until nothing is gained, or until `hopeless` looks out of reach."""
    for count in range(MOST_PROGRAMS):
        following = improved(packing, widths)
        if following is None:
            return packing
        gain = following.total() - packing.total()
        packing = following
        if count > 0 and gain < LEAST_GAIN or count >= 8 and packing.total() + 12 * gain < hopeless:
            return packing
    return packing


def random_centres(rng, count, width):
    return rng.random((count, 2)) * [width, 2.0 - width]


def hop(packing, rng):
    """A packing of radius 0 beside the given one: a few circles elsewhere, often the smallest; or two exchanged; or all shaken."""
    n, centres, kind = len(packing.radii), packing.centres.copy(), rng.random()
    if kind < 0.5:
        count = rng.integers(1, 4)
        small = np.argsort(packing.radii + 0.02 * rng.random(n))[:count]
        chosen = small if rng.random() < 0.6 else rng.choice(n, count, replace=False)
        centres[chosen] = random_centres(rng, count, packing.width)
    elif kind < 0.75:
        pair = rng.choice(n, 2, replace=False)
        centres[pair] = centres[pair[::-1]]
        centres += rng.normal(0, 0.005, (n, 2))
    else:
        centres += rng.normal(0, rng.choice([0.01, 0.03, 0.06]), (n, 2))
    return Packing(np.clip(centres, 0.0, [packing.width, 2.0 - packing.width]), np.zeros(n), packing.width)


def search(n, widths, rng, tries):
    """The best of so many basins; a chain of hops begins anew after PATIENCE hops in vain."""
    best, current, stale = None, None, 0
    for _ in range(tries):
        if current is None or stale > PATIENCE:
            current, stale = None, 0
            found = descend(Packing(random_centres(rng, n, 1.0), np.zeros(n), 1.0), widths)
        else:
            found = descend(hop(current, rng), widths, hopeless=current.total() - 0.01)
        if current is None or found.total() > current.total() + 1e-7:
            current, stale = found, 0
        else:
            stale += 1
        if best is None or found.total() > best.total():
            best = found
    return best


def tightened(packing, widths, steps=6):
    """Newton's method on the contacts, so that the packing is right to the last digits."""
    n = len(packing.radii)
    for _ in range(steps):
        pairs, pair_sides = pair_rows(packing, CONTACT)
        walls, wall_sides = wall_rows(packing)
        rows, sides = np.vstack([pairs.toarray(), walls.toarray()]), np.concatenate([pair_sides, wall_sides])
        here = np.concatenate([np.zeros(2 * n), packing.radii, [packing.width]])
        gaps = sides - rows @ here
        tight = gaps < CONTACT
        free = slice(None) if widths[0] < widths[1] else slice(-1)
        step = np.zeros(3 * n + 1)
        step[free] = np.linalg.lstsq(rows[tight][:, free], gaps[tight], rcond=1e-10)[0]
        packing = Packing(packing.centres + step[: 2 * n].reshape(2, n).T, packing.radii + step[2 * n : 3 * n], packing.width + step[3 * n])
    return packing
