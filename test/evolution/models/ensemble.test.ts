// Weighted ensembles (CodeEvolve 4.1).
import { expect, it } from 'vitest';
import { thetaDefaults } from '../../../evolution/methods/theta.ts';
import { modelsFor } from '../../../evolution/models/ensemble.ts';
import type { Role } from '../../../evolution/types.ts';

const namesFor = (role: Role, ...pool: readonly (readonly [name: string, ...roles: Role[]])[]): readonly string[] => {
  const [model, ...models] = pool.map(([name, ...roles]) => ({ ...thetaDefaults.model, name, roles }));
  return modelsFor({ model: model!, models }, role).map(({ name }) => name);
};

it('one ensemble serves both operators if only one is given; the judge has its own or none', () => {
  expect(namesFor('explore', ['pro', 'exploit'])).toEqual(['pro']);
  expect(namesFor('exploit', ['flash', 'explore'], ['other', 'meta'])).toEqual(['flash']);
  expect(namesFor('meta', ['pro', 'exploit'], ['flash', 'explore'])).toEqual(['flash']);
  expect(namesFor('judge', ['pro', 'exploit'], ['flash', 'explore'])).toEqual([]);
  expect(namesFor('idea', ['pro', 'meta'])).toEqual([]);
});
