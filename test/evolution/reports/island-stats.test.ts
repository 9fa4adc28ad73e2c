// How islands stand: against a count by hand.
import { expect, it } from 'vitest';
import { islandStats } from '../../../evolution/reports/islands.ts';
import { grown, settingsOf, valid } from '../../support/worlds/populations.ts';

it('members, migrants, cells, archive members and scores of each island', () => {
  const settings = settingsOf({ islands: 2, bins: 2, archive: 2 }, { interval: 2, rate: 0.01 });
  const population = grown(settings, [
    [valid(1, 0, 0.9, { island: 0 }), valid(1, 1, 0.7, { island: 0, length: 200 }), valid(1, 2, 0.1, { island: 1 })],
  ]);
  const [first, second] = islandStats(population, settings);
  // The initial program (0.5) lives on both; each island offered its best to the other when the step ended.
  expect(first).toMatchObject({
    island: 0,
    children: 2,
    members: 3,
    native: 3,
    migrants: 0,
    archiveMembers: 2,
    best: { id: valid(1, 0, 0).id, fit: 0.9 },
  });
  expect(first!.mean).toBeCloseTo(0.7, 12);
  expect(first!.median).toBeCloseTo(0.7, 12);
  expect(first!.sd).toBeCloseTo(0.2, 12);
  expect(second).toMatchObject({ island: 1, children: 1, members: 3, native: 1, migrants: 1, best: { fit: 0.9 } });
  expect(first!.cells).toEqual({ filled: population.maps[0]!.cells.size, of: 4 });
});

it('without an archive of cells there are none to fill', () => {
  const settings = settingsOf({ islands: 1, map: 'none' }, { topology: 'none' });
  expect(islandStats(grown(settings), settings)).toMatchObject([{ cells: null, members: 1, sd: null }]);
});
