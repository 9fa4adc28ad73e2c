# EVOLVE-BLOCK-START
"""First autocorrelation inequality: a sequence that is known already, then one linear program after another, a small step towards each answer."""
import base64
import json
import math
import time
import zlib

import numpy as np
from scipy.linalg import toeplitz
from scipy.optimize import linprog

SHARE_OF_TIME = 0.9
STEP = 0.01
SAVE_EVERY_S = 20.0


def c1(h):
    """2n max(h*h) / (sum h)^2 of n heights; less is better."""
    return 2 * len(h) * np.max(np.convolve(h, h)) / np.sum(h) ** 2


DATA = None  # a solution that `evolve run --initial-data` puts here


def start():
    """The heights of DATA, or else the 720 of KNOWN_SEQUENCE, below; c1 is 1.506666."""
    if DATA is not None:
        return np.array(DATA["heights"], dtype=float)
    packed = zlib.decompress(base64.b64decode("".join(KNOWN_SEQUENCE)))
    return np.frombuffer(packed, dtype="<u2").astype(float)


def scaled(h):
    """With sum sqrt(2n), so that the largest autoconvolution is c1."""
    return h * math.sqrt(2 * len(h)) / np.sum(h)


def partner(f, seconds):
    """The g >= 0 of largest sum with f*g nowhere above max(f*f), or None where no answer comes in time."""
    n = len(f)
    column = np.concatenate([f, np.zeros(n - 1)])
    first_row = np.zeros(n)
    first_row[0] = f[0]
    products = toeplitz(column, first_row)
    ceiling = np.full(2 * n - 1, np.max(np.convolve(f, f)))
    answer = linprog(-np.ones(n), A_ub=products, b_ub=ceiling, bounds=(0, None), method="highs", options={"time_limit": seconds})
    if not answer.success or np.sum(answer.x) <= 0:
        return None
    return scaled(np.maximum(answer.x, 0.0))


def search(instance):
    """Steps until 90 % of the CPU time is used; the best sequence met."""
    rng = np.random.default_rng(instance["seed"])
    deadline = SHARE_OF_TIME * instance["time_limit_s"]
    h = start() / 65535.0
    best, best_c1 = h.copy(), c1(h)
    saved = time.process_time()
    checkpoint({"heights": best.tolist()})
    while time.process_time() < deadline:
        f = scaled(h)
        g = partner(f, max(0.1, deadline - time.process_time()))
        if g is None:
            h[1] = (h[1] + rng.random()) % 1.0
        else:
            h = (1.0 - STEP) * h + STEP * g
        value = c1(h)
        if value < best_c1:
            best, best_c1 = h.copy(), value
        if time.process_time() - saved > SAVE_EVERY_S:
            saved = time.process_time()
            checkpoint({"heights": best.tolist()})
    return best
# EVOLVE-BLOCK-END


def construct(instance):
    """Entry point: instance holds seed and time_limit_s (CPU seconds); the step heights are handed back as {"heights": [h0, h1, ...]}."""
    return {"heights": search(instance).tolist()}


# Heights from 0 to 65535 as 16-bit numbers, packed with zlib.
KNOWN_SEQUENCE = [
    "eNp7+Y5LQYbdkCfaUIiHgcGTdbtlL9tOwZtiz49Z8tfLruHW5nrG1CcizMznJMcirywqKrgyUmaOkDMzAxCs58lk+xOwSPy1erO4bTeD+AqJInYGhkeM",
    "QvIcbM9Sz0kfUeIQiqh4x/uPC6TalENJcrfwocwbyjtUZ0kfi/Tm7hBmYNjH1ydRqOEgo13Lpumm5is7y4tX6KG4F9dtYQ3JT5rn5a0qClXZ5IKFCpzE",
    "+TWkxYWPKF9RETV012koY1E9JfNXeJLuJoHJsvekm7X/6Jwy+KZ2q3iP5F6xyTxP5EuEfsv+kmEwZNL1MTPQLsxMVvUU2ca5RKJfRlh+n5iGWbPCafml",
    "gqcjKwTamIVYfUV/CfOrZSgo2/ZrJcjckb8XoSF7UsRQapbaN/VI2wNmXyItdLI05quy+tVLiOm3igurhJgHWf2yTfJXsujXnCzz10VVo1XrqHqO7jQH",
    "Zwdt+30hn831dFtFU/w59MK0zKzaDLmcNpt9tbwfz6droRinpmQRrxymOEP7ssIsHUWNCWonovjBoXSaa7fCLenbGi95kuQcVJlVxUUtFRylJhv+0PPQ",
    "d+Y9pxWoEeVkIzlfe56rYIAk0w6tq4af9OaKPVCMVP9mekJVwiRKJs9ey0/fw01bWb1E21XtqNJNxUDnzza10nq2x/1+W1uZNSj9t7zvbqv0z54noz7p",
    "sVy+z8fI99YTLW+IuvHMYNrP2srEpzRXLoLLVOCaylxxW+kX0sry9sLeIg1iGYIaQkf4QoRUeMuEzorF8+8T/8u3ndeL/zC/Dcdrnn622fyneK6LcQr3",
    "Cd7kXy2ynJ+J20fQnpuBe5WQBZ8m5w9+VXY/5jQOBgYfViOGHWw7WWVZGBhS2RjQQB+cJcZAe2DHKC5xUTXKer6tpTOTkaiDn2OVs6abqct7ZycvcXfu",
    "gI8ex7ze+953MvZYb3hav1qT27hNYr3gHkFG9otikjI9KsbSm40fqahqcdiL2czT6VVdK9cucUQ8SuqPHq9UoeAMyQDFzwaOekn6q9WeGKxRPc+TZ5Cn",
    "1sR7Uu6Nxn6lRv1DNoGWllZuVj4eGzSPadpr/RU7I3pbkA8YJltZVzBic+8xgdkSD6WeCWSxwER44epmKK+UzmdiYPdTmSC2B5ibj8pj6l/i+l+nTWAS",
    "Q7tWkZ27+sXoxwY/zFs8roSzqAfZf3Hvjd/rJWBT7PVEXtFawIZb65TKG+FJ7GpMZWxSLLtZZGgYD3vBZCDzcbYY/uV8s8TrBQKFhYS/iZbIXFc4K90g",
    "IsbOxoSsPo+RYYDAcxlphksKzUKOsjuEH3MJyJoKLGEOZohQOMwjoGogzCnHJtkCLAVvGOxTZ2B4bdoj/UglQvuBmDcDH9jFl0wb7C9GHXD86cdg3e7R",
    "HA2Ply7X7vcz47qXHLU97bOvej/PB6k3///P+gMAj81FPQ==",
]
