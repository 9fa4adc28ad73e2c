"""Many starts of SLSQP on the ratio of the largest to the smallest distance. Called by fixtures/gold of the max-min-distance tasks."""
import numpy as np
from scipy.optimize import minimize


def polish(points):
    """points (n, d) -> a local optimum: the least squared distance t as large as it gets while no squared distance passes 1."""
    n, d = points.shape
    first, second = np.triu_indices(n, 1)
    pair = np.arange(len(first))
    gaps = points[first] - points[second]
    squares = (gaps**2).sum(axis=1)
    start = np.append(points.ravel() / np.sqrt(squares.max()), squares.min() / squares.max())

    def slack(variables):
        gaps = variables[:-1].reshape(n, d)[first] - variables[:-1].reshape(n, d)[second]
        squares = (gaps**2).sum(axis=1)
        return np.concatenate([squares - variables[-1], 1.0 - squares])

    def slope(variables):
        gaps = variables[:-1].reshape(n, d)[first] - variables[:-1].reshape(n, d)[second]
        rows = np.zeros((len(first), n, d))
        rows[pair, first] = 2 * gaps
        rows[pair, second] = -2 * gaps
        rows = rows.reshape(len(first), n * d)
        return np.block([[rows, -np.ones((len(first), 1))], [-rows, np.zeros((len(first), 1))]])

    target = np.zeros(n * d + 1)
    target[-1] = -1.0
    found = minimize(lambda variables: -variables[-1], start, jac=lambda variables: target, method="SLSQP",
                     constraints={"type": "ineq", "fun": slack, "jac": slope}, options={"maxiter": 400, "ftol": 1e-16})
    return found.x[:-1].reshape(n, d)


def ratio_squared(points):
    first, second = np.triu_indices(len(points), 1)
    squares = ((points[first] - points[second]) ** 2).sum(axis=1)
    return squares.max() / squares.min()


def best_of(n, d, starts, seed):
    """The best local optimum from `starts` uniform starts in the unit ball, and how many starts reached it to 1e-9."""
    random = np.random.default_rng(seed)
    found = []
    for _ in range(starts):
        directions = random.normal(size=(n, d))
        directions /= np.linalg.norm(directions, axis=1)[:, None]
        points = polish(directions * random.random((n, 1)) ** (1 / d))
        found.append((ratio_squared(points), points))
    found.sort(key=lambda one: one[0])
    return found[0][1], sum(1 for ratio, _ in found if ratio < found[0][0] * (1 + 1e-9))
