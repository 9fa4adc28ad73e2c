// The settings of the draw of parents (`selection`) and of the exchange between islands (`migration`).
import { z } from 'zod';
import { whole, real, oneOf, ANY } from './leaves.ts';

export const selection = z.strictObject({
  kind: oneOf(
    'initial',
    'mixture',
    'uniform',
    'rank',
    'power',
    'tournament',
    'roulette',
    'best',
    'sigmoid',
    'puct',
  ).describe(
    'How a parent is drawn: `initial` always the initial program, `mixture` by the two shares below, every other kind from `selection.pool`.',
  ),
  pool: oneOf('island', 'cells', 'archive', 'population').describe(
    "From whom, except with `mixture`: members of the group's island, elites of its cells, archive members on it, or all alive.",
  ),
  exploration: real(0, 1).describe('`mixture`: probability that a parent is drawn uniformly from its island.'),
  exploitation: real(0, 1).describe('`mixture`: probability that a parent is drawn from the archive.'),
  archiveShare: real(0, 1).describe(
    "`mixture`: the archive's part of those alive, at most: parents from the archive are among the best of so large a share of the island's members, at least one. So they are the best ones also while the archive has room for everybody. 1, the default with `prompt.frame: paper`, leaves it whole.",
  ),
  rest: oneOf('population', 'weighted').describe(
    '`mixture`: the rest, uniformly from the population, or from the island with weight max(score, 0.001).',
  ),
  alpha: real(0, 100).describe('`power`: exponent of the rank; 0 is uniform, 1 is `rank`.'),
  tournament: whole(1, 1_000).describe(
    '`tournament`: programs drawn with replacement, of which the best becomes the parent.',
  ),
  lambda: real(0, 1_000).describe('`sigmoid`: steepness; the weight falls with the number of children.'),
  c: real(0, 1_000).describe('`puct`: weight of the exploration term.'),
});

export const migration = z.strictObject({
  topology: oneOf('ring', 'directed-ring', 'complete', 'star-in', 'star-out', 'star', 'none').describe(
    'Which islands an island sends its best to; the hub of a star is island 0. `none`: islands stay apart, as a single one does.',
  ),
  style: oneOf('top', 'natives', 'once', 'random').describe(
    "`top`: an island's best members. `natives`: its best of those that were made there. `once`: cell elites (without a map, members) that were made on the island and never migrated, not its best. `random`: any of its own valid members but its best, each to one neighbour (ShinkaEvolve).",
  ),
  unit: oneOf('children', 'steps').describe('What the interval counts: children inserted into an island, or steps.'),
  interval: whole(1, ANY).describe('Children inserted into an island, or steps, between two migrations.'),
  rate: real(0, 1).describe(
    "Share of an island's members (`once`: of its pool) that it sends, at least one; with `once` and 0 none.",
  ),
});
