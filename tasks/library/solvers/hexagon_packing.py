"""Basin hopping over packings of unit hexagons in a hexagon: overlaps pushed out at a fixed side, then linear programs that shrink the side.

Called by fixtures/gold of the hexagon packing tasks. A layout is (centres [n, 2], turns [n] in radians); the outer hexagon lies at the origin,
not turned. In polar form the gap of two unit hexagons at distance L in direction p is, for the better of the two turns t,
L cos(p - t - 30) - sqrt(3)/2 - cos(t_i - t_j + 30), both angles in degrees and taken modulo 60 into -30..30; the outer hexagon likewise.
"""
import numpy as np
from scipy.optimize import linprog, minimize
from scipy.sparse import csr_matrix

SIXTH = np.pi / 3
HALF_SIXTH = np.pi / 6
APOTHEM = np.sqrt(3) / 2
# The gap of a search, and that of its result: programs of the second kind alone stop in worse basins.
GAP = 1.0001e-6
LAST_GAP = 1e-11
MOST_PROGRAMS = 80
FIRST_REACH = 0.1
LARGEST_REACH = 0.3
PATIENCE = 80
TOO_CROWDED = 0.05


def wrapped(angle):
    """Modulo 60 degrees, into -30..30."""
    return angle - SIXTH * np.round(angle / SIXTH)


class Pairs:
    """Pairs i < j: length, direction, offset of the better axis from it, whose turn the axis has, and the corner that points at it."""

    def __init__(self, centres, turns, within=np.inf):
        i, j = np.triu_indices(len(turns), 1)
        between = centres[j] - centres[i]
        length = np.hypot(between[:, 0], between[:, 1]) + 1e-12
        near = length < within
        self.i, self.j, self.length = i[near], j[near], length[near]
        direction = np.arctan2(between[near, 1], between[near, 0])
        of_i = wrapped(direction - turns[self.i] - HALF_SIXTH)
        of_j = wrapped(direction - turns[self.j] - HALF_SIXTH)
        first = np.abs(of_i) <= np.abs(of_j)
        self.owner = np.where(first, self.i, self.j)
        self.offset = np.where(first, of_i, of_j)
        self.axis = direction - self.offset
        self.corner = wrapped(turns[self.i] - turns[self.j] + HALF_SIXTH)
        self.reach = self.length * np.cos(self.offset)

    def gaps(self, corner=None):
        return self.reach - APOTHEM - np.cos(self.corner if corner is None else corner)


def next_corner(corner):
    """The second corner that may come to touch: parallel edges touch with two."""
    return corner - np.where(corner > 0, SIXTH, -SIXTH)


def polar(centres):
    return np.hypot(centres[:, 0], centres[:, 1]) + 1e-12, np.arctan2(centres[:, 1], centres[:, 0])


def crowding(variables, n, side):
    """Sum of squares of all overlaps and of all that sticks out of the outer hexagon, and its gradient; variables are centres and turns."""
    centres, turns = variables[: 2 * n].reshape(n, 2), variables[2 * n :]
    pairs, slope = Pairs(centres, turns), np.zeros(3 * n)
    overlap = np.minimum(pairs.gaps(), 0.0)
    push = 2 * overlap
    for target, sign in ((pairs.j, 1.0), (pairs.i, -1.0)):
        np.add.at(slope, 2 * target, sign * push * np.cos(pairs.axis))
        np.add.at(slope, 2 * target + 1, sign * push * np.sin(pairs.axis))
        np.add.at(slope, 2 * n + target, -sign * push * np.sin(pairs.corner))
    np.add.at(slope, 2 * n + pairs.owner, push * pairs.length * np.sin(pairs.offset))
    length, direction = polar(centres)
    offset, corner = wrapped(direction - HALF_SIXTH), wrapped(turns - HALF_SIXTH)
    out = np.maximum(length * np.cos(offset) + np.cos(corner) - APOTHEM * side, 0.0)
    slope[0 : 2 * n : 2] += 2 * out * np.cos(direction - offset)
    slope[1 : 2 * n : 2] += 2 * out * np.sin(direction - offset)
    slope[2 * n :] -= 2 * out * np.sin(corner)
    return (overlap**2).sum() + (out**2).sum(), slope


def spread_out(centres, turns, gap=GAP):
    """(centres scaled so that the tightest pair has the gap, the outer side that this needs): the exact worth of any layout."""
    pairs = Pairs(centres, turns)
    factor = ((APOTHEM + np.cos(pairs.corner) + gap) / pairs.reach).max()
    length, direction = polar(centres * factor)
    side = (length * np.cos(wrapped(direction - HALF_SIXTH)) + np.cos(wrapped(turns - HALF_SIXTH))).max() / APOTHEM
    return centres * factor, side


def pair_rows(centres, turns, reach, gap):
    """Rows (A, b) of A v <= b over v = moves of centres [2n], of turns [n], and the side: linearised gaps, two corners each."""
    n, pairs = len(turns), Pairs(centres, turns, 2.7 + 3 * reach)
    k, parts, sides = np.arange(len(pairs.i)), [], []
    across, along = np.cos(pairs.axis), np.sin(pairs.axis)
    for block, corner in enumerate((pairs.corner, next_corner(pairs.corner))):
        row = k + block * len(k)
        parts += [(row, 2 * pairs.j, -across), (row, 2 * pairs.i, across), (row, 2 * pairs.j + 1, -along), (row, 2 * pairs.i + 1, along),
                  (row, 2 * n + pairs.owner, -pairs.length * np.sin(pairs.offset)),
                  (row, 2 * n + pairs.i, -np.sin(corner)), (row, 2 * n + pairs.j, np.sin(corner))]
        sides.append(pairs.gaps(corner) - gap)
    return parts, sides, 2 * len(k)


def wall_rows(centres, turns, first):
    """Rows of the six outer edges, two corners of each hexagon at each, counted from `first`."""
    n, one, k = len(turns), np.ones(len(turns)), np.arange(len(turns))
    corner, parts, sides = wrapped(turns - HALF_SIXTH), [], []
    for edge in range(6):
        x, y = np.cos(HALF_SIXTH + edge * SIXTH), np.sin(HALF_SIXTH + edge * SIXTH)
        for touching in (corner, next_corner(corner)):
            row = k + first
            parts += [(row, 2 * k, x * one), (row, 2 * k + 1, y * one), (row, 2 * n + k, -np.sin(touching)), (row, 0 * k + 3 * n, -APOTHEM * one)]
            sides.append(-(centres @ [x, y]) - np.cos(touching))
            first += n
    return parts, sides, first


def shrunk(centres, turns, reach, gap):
    """Centres and turns of the least side by one linear program, no variable moving farther than `reach`; None where there is none."""
    n = len(turns)
    pair_parts, pair_sides, count = pair_rows(centres, turns, reach, gap)
    wall_parts, wall_sides, count = wall_rows(centres, turns, count)
    rows, columns, values = (np.concatenate(part) for part in zip(*pair_parts, *wall_parts))
    cost = np.append(np.zeros(3 * n), 1.0)
    found = linprog(cost, A_ub=csr_matrix((values, (rows, columns)), shape=(count, 3 * n + 1)), b_ub=np.concatenate(pair_sides + wall_sides),
                    bounds=[(-reach, reach)] * (3 * n) + [(1.0, 100.0)], method="highs-ds")
    return None if found.x is None else (centres + found.x[: 2 * n].reshape(n, 2), turns + found.x[2 * n : 3 * n])


def descend(centres, turns, hopeless=np.inf, gap=GAP):
    """(centres, turns, side) of a local optimum, by programs with a trust region; given up early where far above `hopeless`."""
    centres, side = spread_out(centres, turns, gap)
    reach = FIRST_REACH
    for count in range(MOST_PROGRAMS):
        found = shrunk(centres, turns, reach, gap)
        new_centres, new_side = spread_out(*found, gap) if found else (None, np.inf)
        if new_side < side - 1e-13:
            gain = side - new_side
            centres, turns, side = new_centres, found[1], new_side
            reach = min(reach * 1.7, LARGEST_REACH)
            if gain < 1e-10:
                break
        else:
            reach /= 3
        if reach < 1e-9 or count == 10 and side > hopeless + 0.05:
            break
    return centres, turns, side


def scattered(rng, count, side):
    """Random placements well inside the outer hexagon."""
    centres = []
    while len(centres) < count:
        point = rng.uniform(-side, side, 2)
        length, direction = polar(point[None])
        if length[0] * np.cos(wrapped(direction[0] - HALF_SIXTH)) <= APOTHEM * side - 0.9:
            centres.append(point)
    return np.array(centres), rng.uniform(0, SIXTH, count)


def hop(centres, turns, rng, side):
    """One or two hexagons elsewhere; or all shaken; or some turned."""
    n, kind = len(turns), rng.random()
    centres, turns = centres.copy(), turns.copy()
    if kind < 0.4:
        count = rng.integers(1, 3)
        chosen = rng.choice(n, count, replace=False)
        centres[chosen], turns[chosen] = scattered(rng, count, side)
    elif kind < 0.7:
        centres += rng.normal(0, rng.choice([0.1, 0.2, 0.4]), (n, 2))
        turns += rng.normal(0, 0.2, n)
    else:
        count = rng.integers(1, 5)
        turns[rng.choice(n, count, replace=False)] = rng.uniform(0, SIXTH, count)
        centres += rng.normal(0, 0.05, (n, 2))
    return centres, turns


def pushed_apart(centres, turns, side):
    """The layout after its overlaps are pushed out at a fixed side, and what of them is left."""
    n = len(turns)
    found = minimize(crowding, np.append(centres.ravel(), turns), args=(n, side), jac=True, method="L-BFGS-B", options={"maxiter": 300})
    return found.x[: 2 * n].reshape(n, 2), found.x[2 * n :], found.fun


def search(n, side, rng, tries):
    """The best (centres, turns, side) of so many basins; a chain of hops begins anew after PATIENCE hops in vain."""
    best, current, stale = None, None, 0
    for _ in range(tries):
        if current is None or stale > PATIENCE:
            current, stale = None, 0
            layout = scattered(rng, n, side)
        else:
            layout = hop(current[0], current[1], rng, side)
        centres, turns, left = pushed_apart(*layout, side)
        if left > TOO_CROWDED:
            stale += 1
            continue
        found = descend(centres, turns, np.inf if current is None else current[2])
        if current is None or found[2] < current[2] - 1e-9:
            current, stale = found, 0
        else:
            stale += 1
        if best is None or found[2] < best[2]:
            best = found
    return best
