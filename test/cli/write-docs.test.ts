// The parts of docs that are made of settings, verbs, routes, tools, tasks and experiments are as their sources, and so is
// the published schema.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { written } from '../../cli/write-docs.ts';

test('what is written from sources is current', async () => {
  const texts = [...(await written())];
  const old = texts.flatMap(([file, text]) => (readFileSync(file, 'utf8') === text ? [] : [file]));
  expect(old, 'run `npx node cli/write-docs.ts`').toEqual([]);
});
