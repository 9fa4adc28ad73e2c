// What a tolerance adds wins nothing: the strict score decides who is best, what is shown and what ends a run, unless
// the run ranks by the tolerant one.
import { describe, expect, it } from 'vitest';
import { research } from '../../support/worlds/research-world.ts';

/** The first child inflates its radii within the tolerance, the second one makes a better packing. */
const RESULTS = [
  { score: 2.5, strictScore: 2.5 },
  { score: 2.6, strictScore: 2.4 },
  { score: 2.55, strictScore: 2.55 },
];

const played = async (settings: object) => {
  let made = 0;
  const world = research({ result: () => RESULTS[Math.min(made++, 2)]! }, settings);
  const best = (await world.play(2)).map((summary) => summary.best!.strictScore);
  const shown = world.asked.filter(({ role }) => role === 'program').map(({ user }) => user);
  return { best, shown };
};

describe('a run in which a program owes its score to the tolerance', () => {
  it('keeps the better packing as its best, and shows no score that the tolerance made', async () => {
    const { best, shown } = await played({});
    expect(best).toEqual([2.5, 2.5, 2.55]);
    expect(shown.join('\n')).toMatch(/2\.5/);
    expect(shown.join('\n')).not.toMatch(/2\.6\b/);
  });

  it('goes by the tolerance where that is asked for', async () => {
    expect((await played({ evaluation: { scoring: 'tolerant' } })).best).toEqual([2.5, 2.4, 2.4]);
  });
});
