// Every shape of an answer or a refusal that is known (test/shapes), whole and streamed: nothing that was paid is lost
// or paid twice.
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { doorsOf, faultsOf, formsOf, play } from '../../shapes/play.ts';
import { SHAPES } from '../../shapes/shapes.ts';
import { tableOf } from '../../shapes/table.ts';

const ROWS = SHAPES.flatMap((shape) =>
  formsOf(shape).flatMap((form) => doorsOf(shape).map((door) => [shape.name, form, door, shape] as const)),
);

describe('what an endpoint sends', () => {
  it.concurrent.each(ROWS)('%s, %s, %s', async (_name, form, door, shape) => {
    expect(faultsOf(shape, await play(shape, form, door))).toEqual([]);
  });

  it('has a name of its own, and stands in docs/shapes.md as `npm run shapes -- --table` prints it', () => {
    expect(new Set(SHAPES.map(({ name }) => name)).size).toBe(SHAPES.length);
    const page = readFileSync(new URL('../../../docs/shapes.md', import.meta.url), 'utf8');
    expect(page.split('\n\n').at(-1)!.trim()).toBe(tableOf());
  });
});
