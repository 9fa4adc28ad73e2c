"""Sparse symmetric systems on an N x N grid: the 5-point Laplacian, and diffusion with a random coefficient (reference `tasks`, 4.3).

An Operator has shape (N², N²), `diagonal` [f x N²] and `apply(v)`; unknowns row by row.
"""
import numpy as np

BLOCKS = 10


class Operator:
    """`centre` [f x N, N]; `east` [f x N, N-1] and `south` [f x N-1, N] are the couplings to the neighbours, subtracted."""

    def __init__(self, centre, east, south):
        self.centre, self.east, self.south = centre, east, south
        self.side = centre.shape[0]
        self.shape = (centre.size, centre.size)
        self.diagonal = centre.reshape(-1)

    def apply(self, v):
        grid = np.asarray(v, float).reshape(self.side, self.side)
        result = self.centre * grid
        result[:, :-1] -= self.east * grid[:, 1:]
        result[:, 1:] -= self.east * grid[:, :-1]
        result[:-1] -= self.south * grid[1:]
        result[1:] -= self.south * grid[:-1]
        return result.reshape(-1)


def laplacian(side):
    """4 on the diagonal, -1 to each neighbour, zero outside the square."""
    return Operator(np.full((side, side), 4.0), np.ones((side, side - 1)), np.ones((side - 1, side)))


def diffusion(side, draw):
    """Coefficient exp(g), g standard normal on 10 x 10 blocks; harmonic means on faces, the cell's own value on boundary faces."""
    size = -(-side // BLOCKS)
    a = np.exp(np.kron(draw.standard_normal((BLOCKS, BLOCKS)), np.ones((size, size)))[:side, :side])
    east = 2 * a[:, :-1] * a[:, 1:] / (a[:, :-1] + a[:, 1:])
    south = 2 * a[:-1] * a[1:] / (a[:-1] + a[1:])
    centre = np.zeros_like(a)
    for faces, low, high in ((east, np.s_[:, :-1], np.s_[:, 1:]), (south, np.s_[:-1], np.s_[1:])):
        centre[low] += faces
        centre[high] += faces
    for edge in (np.s_[:, 0], np.s_[:, -1], np.s_[0], np.s_[-1]):
        centre[edge] += a[edge]
    return Operator(centre, east, south)
