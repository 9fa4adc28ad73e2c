"""Five noiseless functions of BBOB 2009, of a published instance or drawn afresh (reference `tasks`, 4.1).

make(fid, dimension, instance) and draw(fid, dimension, instance, generator) give a Problem whose `value(x)` takes [f x D] and whose `f_opt`,
`x_opt` are known.
"""
import numpy as np


class Problem:
    def __init__(self, value, f_opt, x_opt):
        self.value, self.f_opt, self.x_opt = value, f_opt, x_opt


def uniforms(count, seed):
    """U(N, s): a shuffled Lehmer generator; [f x N] in (0, 1)."""
    state = max(1, abs(seed))
    table = [0] * 32
    for counter in range(39, -1, -1):
        state = lehmer(state)
        if counter < 32:
            table[counter] = state
    current = table[0]
    drawn = np.empty(count)
    for index in range(count):
        state = lehmer(state)
        slot = current // 67108865
        current, table[slot] = table[slot], state
        drawn[index] = current / 2147483647
    drawn[drawn == 0] = 1e-99
    return drawn


def lehmer(state):
    high = state // 127773
    state = 16807 * (state - 127773 * high) - 2836 * high
    return state + 2147483647 if state < 0 else state


def gaussians(count, seed):
    """G(N, s), by Box and Muller from one draw of 2N uniforms."""
    u = uniforms(2 * count, seed)
    drawn = np.sqrt(-2 * np.log(u[:count])) * np.cos(2 * np.pi * u[count:])
    drawn[drawn == 0] = 1e-99
    return drawn


def optimum_place(dimension, seed):
    u = uniforms(dimension, seed)
    place = 8 * np.floor(1e4 * u) / 1e4 - 4
    place[place == 0] = -1e-5
    return place


def optimum_value(seed):
    ratio = gaussians(1, seed)[0] / gaussians(1, seed + 1)[0]
    return float(np.clip(np.floor(1e4 * ratio + 0.5) / 100, -1000, 1000))


def rotation(dimension, seed):
    """[f x D] x D, orthogonal: Gram and Schmidt over the columns of D² Gaussians."""
    matrix = gaussians(dimension * dimension, seed).reshape(dimension, dimension).T.copy()
    for column in range(dimension):
        for earlier in range(column):
            matrix[:, column] -= (matrix[:, column] @ matrix[:, earlier]) * matrix[:, earlier]
        matrix[:, column] /= np.sqrt(matrix[:, column] @ matrix[:, column])
    return matrix


def oscillate(x):
    """T_osz: keeps sign and zero."""
    result = np.zeros_like(x)
    for sign, c1, c2 in ((1.0, 1.0, 0.79), (-1.0, 0.55, 0.31)):
        part = sign * x > 0
        t = 10 * np.log(np.abs(x[part]))
        result[part] = sign * np.exp(t + 0.49 * (np.sin(c1 * t) + np.sin(c2 * t))) ** 0.1
    return result


def asymmetric(x, beta):
    """T_asy: bends the positive coordinates."""
    e = np.arange(len(x)) / (len(x) - 1)
    result = x.copy()
    up = x > 0
    result[up] = x[up] ** (1 + beta * e[up] * np.sqrt(x[up]))
    return result


def scale(x, alpha):
    """The diagonal matrix Λ_alpha."""
    return x * alpha ** (np.arange(len(x)) / (len(x) - 1) / 2)


def make(fid, dimension, instance):
    """The published instance: everything follows from its number, so that every program can compute the optimum."""
    seed = fid + 10000 * instance
    return problem(fid, dimension, optimum_value(seed), optimum_place(dimension, seed), lambda number: rotation(dimension, seed + number * 10**6))


def draw(fid, dimension, instance, generator):
    """The published instance's function and value, with place of the optimum and rotations from a generator."""
    place = generator.uniform(-4, 4, dimension)
    turns = [random_rotation(dimension, generator) for _ in range(2)]
    return problem(fid, dimension, optimum_value(fid + 10000 * instance), place, lambda number: turns[number])


def random_rotation(dimension, generator):
    """[f x D] x D, orthogonal, uniform among all (Mezzadri 2007)."""
    q, r = np.linalg.qr(generator.standard_normal((dimension, dimension)))
    return q * np.sign(np.diagonal(r))


def problem(fid, dimension, f_opt, place, turn):
    x_opt = 0.75 * place if fid == 8 else place
    shape = SHAPES[fid](dimension, turn)
    return Problem(lambda x: shape(np.asarray(x, float) - x_opt, np.asarray(x, float)) + f_opt, f_opt, x_opt)


def sphere(dimension, turn):
    return lambda d, x: float(d @ d)


def rosenbrock(dimension, turn):
    factor = max(1.0, np.sqrt(dimension) / 8)

    def value(d, x):
        z = factor * d + 1
        return float(np.sum(100 * (z[:-1] ** 2 - z[1:]) ** 2 + (z[:-1] - 1) ** 2))
    return value


def ellipsoid(dimension, turn):
    r = turn(1)
    weights = 10 ** (6 * np.arange(dimension) / (dimension - 1))
    return lambda d, x: float(weights @ oscillate(r @ d) ** 2)


def rastrigin(dimension, turn):
    r, q = turn(1), turn(0)

    def value(d, x):
        z = r @ scale(q @ asymmetric(oscillate(r @ d), 0.2), 10)
        return float(10 * (dimension - np.sum(np.cos(2 * np.pi * z))) + z @ z)
    return value


def schaffers(dimension, turn):
    r, q = turn(1), turn(0)

    def value(d, x):
        z = scale(q @ asymmetric(r @ d, 0.5), 10)
        w = z[:-1] ** 2 + z[1:] ** 2
        return float(np.mean(w**0.25 * (1 + np.sin(50 * w**0.1) ** 2)) ** 2 + 10 * np.sum(np.maximum(0, np.abs(x) - 5) ** 2))
    return value


SHAPES = {1: sphere, 8: rosenbrock, 10: ellipsoid, 15: rastrigin, 17: schaffers}
