// These settings are for the population: who lives, on which islands and in which archives.
import { z } from 'zod';
import { whole, finite, flag, oneOf, orNull } from './leaves.ts';

const FEATURE_EXPECTED = 'one of score, length, tree-size, diversity, cpu, wall, embedding, or metric:<name>';
/** A plain name is most likely that of a number of the evaluator. */
const featureExpected = ({ input }: { readonly input?: unknown }): string => {
  const name = typeof input === 'object' && input !== null ? (input as { readonly name?: unknown }).name : input;
  return typeof name === 'string' && METRIC_NAME.test(name)
    ? `${FEATURE_EXPECTED}, here metric:${name}`
    : FEATURE_EXPECTED;
};
const METRIC_NAME = /^[A-Za-z0-9_-]{1,80}$/;

const featureName = z.union(
  [
    z.enum(['score', 'length', 'tree-size', 'diversity', 'cpu', 'wall', 'embedding']),
    z.templateLiteral(['metric:', z.string().regex(METRIC_NAME)]),
  ],
  { error: featureExpected },
);

/** An axis of an archive, as runs set it and as a task proposes it. */
export const feature = z
  .union(
    [
      featureName,
      z.strictObject({
        name: featureName,
        bins: whole(1, 1_000).optional(),
        scale: oneOf('linear', 'log', 'quantile').optional(),
        min: finite().optional(),
        max: finite().optional(),
      }),
    ],
    {
      error: (issue) =>
        `${featureExpected(issue)}; or a mapping with name and, if wanted, bins, scale (linear, log, quantile), min and max`,
    },
  )
  .meta({ title: 'feature names, or mappings with name, bins, scale, min and max' });

export const population = z.strictObject({
  cap: whole(2, 1_000_000).describe('Distinct programs alive at most; the worst are evicted, never deleted.'),
  islandCap: orNull(whole(2, 1_000_000)).describe(
    'Members of an island at most, with `map: none`: a newcomer, or a migrant, must beat the worst member, which leaves the island; null: no such cap.',
  ),
  archive: whole(1, 1_000_000).describe('Members of the elite archive at most; no more than `population.cap`.'),
  islands: whole(1, 1_000).describe(
    'Islands that evolve apart between migrations. Unless set, the limits on programs and steps allow about ten programs for each, up to the default.',
  ),
  map: oneOf('grid', 'cvt', 'queue', 'none').describe(
    'Archive of cells: a grid of bins, the cells of `population.cells` centroids (CVT), a priority queue of so many places, or none.',
  ),
  features: z
    .array(feature, { error: 'a list of features' })
    .min(1, 'at least one feature')
    .max(8, 'at most 8 features')
    .describe('Axes of the archive of cells.'),
  bins: whole(1, 1_000).describe('Bins of each axis that sets none of its own.'),
  cells: whole(1, 10_000).describe('Centroids of `cvt`, places of `queue`.'),
  grid: oneOf('island', 'global').describe('One archive of cells per island, or one for all.'),
  bounds: oneOf('run', 'island').describe(
    'Running minimum and maximum of features without fixed bounds: of the whole run, or of each island (`grid: island`).',
  ),
  rebin: oneOf('members', 'elites').describe(
    'Who competes for the cells anew when bounds or edges have moved: every member of the island, or the elites alone.',
  ),
  displaced: oneOf('stays', 'leaves').describe(
    'What becomes of an elite that loses its cell to a newcomer: it stays a member of its island, or leaves it, and is evicted where it is on no other.',
  ),
  childIsland: oneOf('parent', 'slot', 'current').describe(
    "A child enters its parent's island, the island for which its group was drawn, or the island whose turn it is.",
  ),
  samplingIsland: oneOf('round-robin', 'current').describe('Groups take islands in turn, or all take the current one.'),
  turn: whole(1, 1_000_000).describe(
    'Groups for which an island keeps its turn, with `samplingIsland: round-robin`. Unless it is set, a `research` run of R groups on K islands has max(1, ⌊R / (10 · K)⌋).',
  ),
  admitFailures: z
    .union([z.boolean(), z.literal('evaluated')], { error: 'true, false or evaluated' })
    .describe(
      'Whether programs without a valid score enter the population. `evaluated`: those that were run, and what does not enter is no child of its island.',
    ),
  eviction: oneOf('worst', 'protect-elites').describe(
    "`worst`: the lowest score goes, never the best or the newcomer; an island that is emptied gains the best. `protect-elites`: a newcomer must beat the lowest score, and neither the best, nor cell elites, nor an island's last member go.",
  ),
  protectElites: flag().describe('`worst`: whether cell elites are evicted last.'),
  keepInitial: flag().describe('Whether the initial program is never evicted.'),
  initialisation: whole(1, 100_000).describe(
    "Programs of an island's initialisation, the initial one and failures that were run among them: until it has them, its children are made of the initial program, each a root. Unless set, at most a third of the programs that the limits allow.",
  ),
  siblings: orNull(whole(1, 10_000)).describe(
    'Children of one parent that enter in one step, the best ones; null: all.',
  ),
  islandSync: oneOf('migration', 'epoch').describe(
    "`migration`: each island goes on alone until the next migration; `epoch`: islands wait for each other at each step's end. Programs are the same either way. Where other settings couple islands, docs/population.md says which, they wait.",
  ),
});
