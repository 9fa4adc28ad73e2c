# EVOLVE-BLOCK-START
"""Flips single signs of a 29 x 29 matrix by simulated annealing; the first run starts from a circulant of quadratic residues."""
import math
import random


def residue_circulant(n):
    """1 where the difference of the indices is a square modulo n and not 0, else -1."""
    squares = {i * i % n for i in range(1, n)}
    return [[1 if (i - j) % n in squares else -1 for j in range(n)] for i in range(n)]


def random_matrix(n, generator):
    return [[generator.choice((1, -1)) for _ in range(n)] for _ in range(n)]


def determinant(matrix):
    """Exact: every division of Bareiss elimination leaves no remainder."""
    rows = [row[:] for row in matrix]
    n = len(rows)
    divisor = 1
    for k in range(n - 1):
        pivot = next((i for i in range(k, n) if rows[i][k] != 0), None)
        if pivot is None:
            return 0
        if pivot != k:
            rows[k], rows[pivot] = rows[pivot], [-value for value in rows[k]]
        top = rows[k]
        head = top[k]
        for i in range(k + 1, n):
            row = rows[i]
            factor = row[k]
            rows[i] = [0] * (k + 1) + [(row[j] * head - factor * top[j]) // divisor for j in range(k + 1, n)]
        divisor = head
    return rows[-1][-1]


def anneal(matrix, steps, generator):
    """The matrix with the largest determinant on the way, and that determinant."""
    n = len(matrix)
    first_temperature = 0.5
    cooling = 0.001
    current = abs(determinant(matrix))
    best, best_size = [row[:] for row in matrix], current
    for step in range(steps):
        i, j = generator.randrange(n), generator.randrange(n)
        matrix[i][j] = -matrix[i][j]
        size = abs(determinant(matrix))
        temperature = first_temperature / (1 + cooling * step)
        if size >= current or generator.random() < math.exp((size - current) / max(1.0, temperature * current)):
            current = size
            if size > best_size:
                best, best_size = [row[:] for row in matrix], size
        else:
            matrix[i][j] = -matrix[i][j]
    return best, best_size


def search(instance):
    n = instance["n"]
    runs = 5
    steps = 1000
    generator = random.Random(instance["seed"])
    best, best_size = None, -1
    for run in range(runs):
        start = residue_circulant(n) if run == 0 else random_matrix(n, generator)
        matrix, size = anneal(start, steps, generator)
        if size > best_size:
            best, best_size = matrix, size
            checkpoint({"matrix": best})
    return best
# EVOLVE-BLOCK-END


def construct(instance):
    """Entry point: instance holds n, seed and time_limit_s; the matrix is handed back as {"matrix": [[1 or -1, ...], ...]}."""
    return {"matrix": search(instance)}
