"""Guided local search on tours of the travelling salesman (reference `tasks`, 4.6). For the evaluator of tsp-gls.

A tour is an array [i x n] of all nodes, closed from last to first; a matrix is [f x n x n] and symmetric. Moves are looked up among all at
once, as arrays of changes of length, and the first of the best is made.
"""
import math

import numpy as np

EPSILON = 1e-12
PENALISED_EDGES = 5
RETURN_EVERY = 50
ASCENT_STEPS, ASCENT_PATIENCE = 600, 20


def random_cities(seed, count):
    """Points [f x count x 2] of the unit square that every program can compute."""
    return np.random.RandomState(seed).rand(count, 2)


def distances(points):
    """Euclidean distances [f x n x n]."""
    apart = points[:, None, :] - points[None, :, :]
    return np.sqrt((apart ** 2).sum(axis=2))


def tour_length(matrix, tour):
    """Exactly summed: it depends neither on the first node nor on the direction."""
    return math.fsum(matrix[tour, np.roll(tour, -1)])


def one_tree(matrix):
    """(length, degrees [i x n]) of a shortest spanning tree of all nodes but 0 with the two shortest edges of node 0."""
    ahead, parent = matrix[1].copy(), np.ones(len(matrix), dtype=int)
    first, second = np.argpartition(matrix[0, 1:], 1)[:2] + 1
    degrees = np.zeros(len(matrix), dtype=int)
    degrees[[0, first, second]] = 2, 1, 1
    length = matrix[0, first] + matrix[0, second]
    ahead[:2] = np.inf
    for _ in range(len(matrix) - 2):
        node = int(ahead.argmin())
        length += ahead[node]
        degrees[node] += 1
        degrees[parent[node]] += 1
        nearer = (matrix[node] < ahead) & np.isfinite(ahead)
        ahead[nearer], parent[nearer] = matrix[node, nearer], node
        ahead[node] = np.inf
    return length, degrees


def shortest_possible(matrix):
    """A length that no tour is below: the longest 1-tree over prices of the nodes, found by subgradients (Held, Karp 1971)."""
    target = tour_length(matrix, local_search(matrix, nearest_neighbour(matrix)))
    prices, best, scale, stale = np.zeros(len(matrix)), -math.inf, 2.0, 0
    for _ in range(ASCENT_STEPS):
        length, degrees = one_tree(matrix + prices[:, None] + prices)
        length -= 2 * prices.sum()
        stale = 0 if length > best else stale + 1
        best = max(best, length)
        if stale == ASCENT_PATIENCE:
            scale, stale = scale / 2, 0
        slope = degrees - 2
        if not slope.any():
            break
        prices = prices + scale * (target - length) / (slope @ slope) * slope
    return best


def nearest_neighbour(matrix):
    """From node 0, each time on to the nearest node not yet seen."""
    ahead = matrix.copy()
    tour = [0]
    while len(tour) < len(matrix):
        ahead[:, tour[-1]] = np.inf
        tour.append(int(np.argmin(ahead[tour[-1]])))
    return np.array(tour)


def two_opt(matrix, tour, positions):
    """The tour after the best exchange of two edges, one of which leaves tour[p], p in positions; None where none is shorter."""
    following = np.roll(tour, -1)
    edges = matrix[tour, following]
    change = matrix[tour[positions][:, None], tour] + matrix[following[positions][:, None], following]
    change -= edges
    change -= edges[positions][:, None]
    change[np.arange(len(positions)), positions] = 0.0
    best = int(change.argmin())
    if change.flat[best] > -EPSILON:
        return None
    low, high = sorted((int(positions[best // len(tour)]), best % len(tour)))
    return np.concatenate([tour[:low + 1], tour[high:low:-1], tour[high + 1:]])


def relocate(matrix, tour, positions):
    """The tour after the best move of one node tour[p], p in positions, to between two others; None where none is shorter."""
    following, rows = np.roll(tour, -1), np.arange(len(positions))
    edges = matrix[tour, following]
    nodes, before, after = tour[positions], tour[positions - 1], following[positions]
    saved = matrix[before, nodes] + matrix[nodes, after] - matrix[before, after]
    change = matrix[nodes[:, None], tour] + matrix[nodes[:, None], following]
    change -= edges
    change -= saved[:, None]
    change[rows, positions] = 0.0
    change[rows, positions - 1] = 0.0
    best = int(change.argmin())
    if change.flat[best] > -EPSILON:
        return None
    origin, slot = int(positions[best // len(tour)]), best % len(tour)
    node = tour[origin:origin + 1]
    if slot < origin:
        return np.concatenate([tour[:slot + 1], node, tour[slot + 1:origin], tour[origin + 1:]])
    return np.concatenate([tour[:origin], tour[origin + 1:slot + 1], node, tour[slot + 1:]])


def local_search(matrix, tour):
    """The best exchange of two edges, then the best move of one node, in turns until neither shortens the tour."""
    everywhere = np.arange(len(tour))
    while True:
        exchanged = two_opt(matrix, tour, everywhere)
        tour = tour if exchanged is None else exchanged
        moved = relocate(matrix, tour, everywhere)
        tour = tour if moved is None else moved
        if exchanged is None and moved is None:
            return tour


def improve_node(matrix, tour, node):
    """The best exchange that removes one of the node's two edges, then the best move of the node."""
    at = int(np.flatnonzero(tour == node)[0])
    exchanged = two_opt(matrix, tour, np.array([at, (at - 1) % len(tour)]))
    if exchanged is not None:
        tour, at = exchanged, int(np.flatnonzero(exchanged == node)[0])
    moved = relocate(matrix, tour, np.array([at]))
    return tour if moved is None else moved


def perturbed(matrix, guided, tour, penalise):
    """The tour after the edges whose distance was raised most were told to penalise(a, b), a < b, and their ends improved on `guided`."""
    gap = np.triu(guided - matrix, 1)
    for _ in range(PENALISED_EDGES):
        a, b = divmod(int(gap.argmax()), len(gap))
        if gap[a, b] <= 0:
            break
        penalise(a, b)
        gap[a, b] = 0.0
        for node in (a, b):
            tour = improve_node(guided, tour, node)
    return tour


def guided_search(matrix, guide, penalise, iterations, visit=lambda length: None):
    """The best tour that was met. guide(tour) gives the guided matrix of an iteration, and sees what was penalised before; visit(length) gets the
    length of each local optimum."""
    tour = local_search(matrix, nearest_neighbour(matrix))
    best, shortest = tour, tour_length(matrix, tour)
    visit(shortest)
    for iteration in range(1, iterations + 1):
        tour = local_search(matrix, perturbed(matrix, guide(tour), tour, penalise))
        length = tour_length(matrix, tour)
        visit(length)
        if length < shortest:
            best, shortest = tour, length
        if iteration % RETURN_EVERY == 0:
            tour = best
    return best
