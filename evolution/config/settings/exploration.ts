// These settings are for ideas that come before programs (`ideation`), and for groups that explore (`exploration`).
import { z } from 'zod';
import { whole, real, above, flag, oneOf } from './leaves.ts';

export const ideation = z.strictObject({
  kind: oneOf('none', 'proposal').describe('`proposal`: a model proposes an idea before each program (AlphaResearch).'),
  gate: oneOf('on', 'off', 'shadow').describe(
    'Whether ideas below the threshold are carried out; `shadow`: judged, and carried out all the same.',
  ),
  threshold: real(0, 10).describe('Lowest score that passes.'),
  judge: oneOf('prompted', 'trained', 'published').describe(
    'What judges are: a model that is asked by a prompt alone also reads problem, scores and earlier ideas; one that was trained as a reward model reads the idea alone, as it was trained (as every judge does with `prompt.frame: paper`); `published`: the same in the words of the paper, for its own reward model.',
  ),
  judgeTemperature: real(0, 2).describe('Temperature at which the judge is asked, whatever that of its model.'),
  digits: whole(1, 17).describe('Significant digits of metrics in prompts of ideas.'),
  stopAtHuman: flag().describe(
    'Whether the run ends once a program is strictly better than the reference `human` of the task, as in AlphaResearch 2.1.',
  ),
});

export const exploration = z.strictObject({
  schedule: oneOf('none', 'constant', 'plateau', 'exponential', 'cosine').describe(
    'How the probability that a group explores moves, island by island; `none`: no operators.',
  ),
  start: real(0, 1).describe('Probability at first; `cosine` begins at the highest.'),
  min: real(0, 1).describe('Lowest probability; `constant` knows no bounds.'),
  max: real(0, 1).describe('Highest probability.'),
  patience: whole(1, 100_000).describe('`plateau`: epochs without a better best before it rises.'),
  raise: above(0, 100).describe('`plateau`: factor when stuck.'),
  lower: above(0, 100).describe('`plateau`: factor on progress.'),
  factor: above(0, 1).describe('`exponential`: factor per epoch.'),
  period: whole(1, 1_000_000).describe('`cosine`: epochs from one maximum to the next.'),
  promptBlock: oneOf('advice', 'all').describe(
    '`advice`: edits of a prompt leave problem and limits, which stand beside it; `all`: the prompt is problem, limits and advice, and all of it may be edited (CodeEvolve, Appendix D).',
  ),
  metaPrompt: flag().describe('Whether a model edits the prompt of a group that explores.'),
  initMetaPrompt: flag().describe("Whether it does so during an island's initialisation, too."),
  pool: oneOf('elites', 'all').describe(
    'From whom a group that explores draws parent and inspirations: as `selection.pool` says (`mixture`: cells), or every member of the island, as a parent failures that were admitted too.',
  ),
  exploitPrompt: oneOf('own', 'policy').describe(
    "Prompt of a group that exploits: that which made the parent, or drawn by rank from the island's.",
  ),
});
