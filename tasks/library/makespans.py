"""Permutation flow shops: makespans of many sequences at once, NEH, passes of swaps and reinsertions (reference `tasks`, 4.7).

Times are integers [i x n x m], so that every sum is exact in any order. A head holds the completion times [i x m] of a prefix, a tail what
remains from each machine on, so that a makespan is the largest head + tail (Taillard 1990, "Some efficient heuristic methods").
"""
import numpy as np

FIRST_LOOK = 128


class Shop:
    """The times of n jobs on m machines, with their sums; rows n..2n-1 are the jobs of the shop run backwards."""

    def __init__(self, times):
        self.times = np.asarray(times, dtype=np.int64)
        self.jobs, self.machines = self.times.shape
        both = np.concatenate([self.times, self.times[:, ::-1]])
        self.through = both.cumsum(axis=1)
        self.before = self.through - both

    def after(self, heads, rows):
        """Heads [i x ... x m] after one job more each, rows [i x ...]."""
        grown = heads - self.before.take(rows, axis=0)
        np.maximum.accumulate(grown, axis=-1, out=grown)
        grown += self.through.take(rows, axis=0)
        return grown

    def makespan(self, sequence):
        head = np.zeros(self.machines, dtype=np.int64)
        for job in sequence:
            head = self.after(head, job)
        return int(head[-1])

    def heads_and_tails(self, sequences):
        """Of sequences [i x k x n]: heads [i x k x n+1 x m] of the first 0..n jobs, tails [i x k x n+1 x m] of the jobs from 0..n on."""
        count, length = sequences.shape
        rows = np.concatenate([sequences, sequences[:, ::-1] + self.jobs])
        grown = np.zeros((length + 1, 2 * count, self.machines), dtype=np.int64)
        for position, row in enumerate(np.ascontiguousarray(rows.T)):
            grown[position + 1] = self.after(grown[position], row)
        grown = grown.swapaxes(0, 1)
        return grown[:count], grown[count:, ::-1, ::-1]

    def laid(self, sequence):
        """What swaps() needs of a sequence: its heads, its tails and the loads of its first 0..n jobs."""
        heads, tails = self.heads_and_tails(sequence[None])
        loads = np.zeros_like(heads[0])
        np.cumsum(self.times[sequence], axis=0, out=loads[1:])
        return sequence, heads[0], np.ascontiguousarray(tails[0]), loads

    def swaps(self, laid, low, high, limit):
        """Makespans [i x k] after positions low[k] < high[k] have changed places; `limit` where a makespan is not below it."""
        sequence, heads, tails, loads = laid
        tries = (high - low).argsort(kind="stable")
        first, last = low[tries], high[tries]
        grown = self.after(heads[first], sequence[last])
        ready, step = [], 1
        while len(tries):
            if step & (step - 1) == 0:
                ahead = loads[last] - loads[first + step] + self.times[sequence[first]] + tails[last + 1]
                hopeful = ((grown + ahead).max(axis=1) < limit).nonzero()[0]
                tries, first, last, grown = tries[hopeful], first[hopeful], last[hopeful], grown[hopeful]
            done = int((last - first).searchsorted(step, side="right"))
            if done:
                ready.append((tries[:done], grown[:done]))
                tries, first, last, grown = tries[done:], first[done:], last[done:], grown[done:]
            grown = self.after(grown, sequence[first + step])
            step += 1
        return self._swapped(laid, low, high, limit, ready)

    def _swapped(self, laid, low, high, limit, ready):
        """The makespans where all but the last job of a swap and the jobs behind it are in: ready, tries with their heads."""
        sequence, _, tails, _ = laid
        made = np.full(len(low), limit, dtype=np.int64)
        if ready:
            tries, heads = (np.concatenate(parts) for parts in zip(*ready))
            made[tries] = (self.after(heads, sequence[low[tries]]) + tails[high[tries] + 1]).max(axis=1)
        return np.minimum(made, limit)

    def insertions(self, rests, jobs):
        """Makespans [i x k x n+1] of rests [i x k x n] with jobs[k] put into each of the slots 0..n."""
        heads, tails = self.heads_and_tails(rests)
        return (self.after(heads, jobs[:, None]) + tails).max(axis=2)


def lower_bound(times):
    """The longest job, or a machine's load with the least head and the least tail (Taillard 1993)."""
    through = times.cumsum(axis=1)
    heads, tails = through - times, through[:, -1:] - through
    return int(max(through[:, -1].max(), (times.sum(axis=0) + heads.min(axis=0) + tails.min(axis=0)).max()))


def neh(shop):
    """(sequence [i x n], makespan): jobs of decreasing total, each into the first of its best slots (Nawaz, Enscore, Ham 1983)."""
    order = np.argsort(-shop.times.sum(axis=1), kind="stable")
    sequence, makespan = order[:1], int(shop.times[order[0]].sum())
    for job in order[1:]:
        made = shop.insertions(sequence[None], np.array([job]))[0]
        slot = int(made.argmin())
        sequence, makespan = np.insert(sequence, slot, job), int(made[slot])
    return sequence, makespan


def without(sequence, jobs):
    """The sequence without each of the jobs: [i x k x n-1]."""
    keep = sequence[None] != jobs[:, None]
    return np.broadcast_to(sequence, keep.shape)[keep].reshape(len(jobs), -1)


def swap_in_turn(shop, sequence, makespan, pairs_from):
    """Tries pairs of positions in their order, keeping each strict gain. pairs_from(sequence, start) gives (low, high) of the tries from
    start on; a pair of equal positions cannot gain. Looks at a few tries at once, and at more where nothing is gained."""
    start, look, laid = 0, FIRST_LOOK, shop.laid(sequence)
    while True:
        low, high = (positions[:look] for positions in pairs_from(sequence, start))
        if len(low) == 0:
            return sequence, makespan
        tries = np.flatnonzero(low != high)
        made = shop.swaps(laid, low[tries], high[tries], makespan)
        gains = np.flatnonzero(made < makespan)
        if len(gains) == 0:
            start, look = start + len(low), 8 * look
            continue
        found = tries[gains[0]]
        sequence, makespan = sequence.copy(), int(made[gains[0]])
        sequence[[low[found], high[found]]] = sequence[[high[found], low[found]]]
        start, look, laid = start + int(found) + 1, FIRST_LOOK, shop.laid(sequence)


def reinsert_in_turn(shop, sequence, makespan, jobs):
    """Tries each job at each slot, in their order, keeping each strict gain."""
    start = 0
    while start < len(jobs):
        ahead = jobs[start:]
        made = shop.insertions(without(sequence, ahead), ahead)
        gains = np.flatnonzero(made.min(axis=1) < makespan)
        if len(gains) == 0:
            break
        found = int(gains[0])
        slot = int(made[found].argmin())
        rest = sequence[sequence != ahead[found]]
        sequence, makespan = np.insert(rest, slot, ahead[found]), int(made[found, slot])
        start += found + 1
    return sequence, makespan


def improve_all(shop, sequence, makespan):
    """One pass: all swaps of positions i < j, then each job 0..n-1 to each slot."""
    low, high = np.triu_indices(shop.jobs, 1)
    sequence, makespan = swap_in_turn(shop, sequence, makespan, lambda _, start: (low[start:], high[start:]))
    return reinsert_in_turn(shop, sequence, makespan, np.arange(shop.jobs))


def improve_jobs(shop, sequence, jobs):
    """The sequence after swaps of each of the jobs with each position, then reinsertions of each at each slot."""
    makespan = shop.makespan(sequence)
    everywhere = np.arange(shop.jobs)
    for job in jobs:
        def pairs_from(current, start, job=job):
            at = int(np.flatnonzero(current == job)[0])
            return np.minimum(everywhere[start:], at), np.maximum(everywhere[start:], at)
        sequence, makespan = swap_in_turn(shop, sequence, makespan, pairs_from)
    return reinsert_in_turn(shop, sequence, makespan, np.asarray(jobs))[0]
