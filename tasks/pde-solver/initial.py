# EVOLVE-BLOCK-START
"""Solves A x = b by conjugate gradients, preconditioned by the diagonal."""
import numpy as np


def solve(A, b, tol, max_iter):
    """An array x of the length of b with |b - A x| <= tol |b|. A offers shape, diagonal() and A @ v; at most max_iter products."""
    inverse = 1.0 / A.diagonal()
    x = np.zeros_like(b)
    r = b.copy()
    z = inverse * r
    p = z.copy()
    rz = r @ z
    limit = tol * np.linalg.norm(b)
    products = 0
    while products < max_iter:
        q = A @ p
        products += 1
        step = rz / (p @ q)
        x = x + step * p
        r = r - step * q
        if np.linalg.norm(r) <= limit:
            break
        z = inverse * r
        rz_next = r @ z
        p = z + (rz_next / rz) * p
        rz = rz_next
    return x
# EVOLVE-BLOCK-END
