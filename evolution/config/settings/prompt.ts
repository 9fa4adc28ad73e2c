// These settings are for what a model reads (`prompt`), and for the deltas among it (`delta`).
import { z } from 'zod';
import { STYLE_NAMES } from '../styles.ts';
import { whole, real, flag, oneOf, orNull, ANY } from './leaves.ts';

const CONTEXT = whole(0, 100);

const shown = z.strictObject({
  priorPrograms: CONTEXT.describe(
    'Programs shown beside the parent, drawn as ThetaEvolve does; 0 is iterative refinement.',
  ),
  eliteRatio: real(0, 1).describe("Share of the prior programs taken from the island's best."),
  elites: CONTEXT.describe('Best programs shown beside the parent.'),
  diverse: CONTEXT.describe('Elites of other cells shown beside the parent.'),
  diverseBy: oneOf('far-cells', 'random-cell', 'embedding').describe(
    "Elites of the cells farthest from the parent's, or of any; `embedding`: those whose vectors are farthest from the parent's (needs `embedding.model`).",
  ),
  inspirations: CONTEXT.describe("Programs of the island's pool shown beside the parent, drawn without replacement."),
  inspirationsBy: oneOf('rank', 'uniform', 'neighbours', 'archive').describe(
    "How inspirations are drawn: by rank or uniformly from the pool; `neighbours`: the island's best, a share of `eliteRatio` of its best ones, elites of cells near the parent's, any members (OpenEvolve); `archive`: the same from archive members of the island, without the cells (ShinkaEvolve).",
  ),
  ancestors: orNull(CONTEXT).describe(
    'Nearest ancestors shown, oldest first; the chain ends at a root. Null: all of them.',
  ),
  bestEver: flag().describe('Whether the best program of the run is shown, where it is not the parent.'),
  scope: oneOf('island', 'run').describe(
    "Where elites and diverse programs come from: the parent's island or the whole run.",
  ),
  style: oneOf(...STYLE_NAMES).describe('What the prompt is made of; docs/prompts.md shows each.'),
  frame: oneOf('common', 'paper').describe(
    '`common`: every style also shows what was tried on the parent, its failure, all metrics and the best program. `paper`: what the prompt of the paper shows, and nothing more.',
  ),
  parts: oneOf('own', 'paper', 'theta', 'delta', 'research', 'code').describe(
    "Whose advice: the task's own, or in our words what a paper told its models of the task, its target and its hints and nothing more; `paper` is that of the method.",
  ),
  patches: orNull(z.strictObject({ diff: real(0, 1), full: real(0, 1), cross: real(0, 1) })).describe(
    'Weights by which each group draws what it is asked for: edits, a whole program, or a cross with another program of the prompt (ShinkaEvolve); null: what `diff.accept` says.',
  ),
  notes: orNull(whole(1, 1_000_000)).describe(
    'After so many programs a model writes notes on the newest ones, and each later prompt has one of their recommendations (ShinkaEvolve); null: never.',
  ),
  attempts: CONTEXT.describe('Latest attempts on the parent that are told, with `prompt.frame: common`.'),
  scores: oneOf('shown', 'masked').describe('`masked`: no score stands in the prompt (Blind-Elite).'),
  draw: oneOf('rule', 'random').describe(
    '`random`: programs beside the parent are drawn uniformly from everything made so far (Random-Context).',
  ),
  feedback: oneOf('full', 'label-only', 'none').describe(
    'What is said of how a program did: scores and errors, the word alone, nothing.',
  ),
  artifacts: whole(0, 100_000).describe(
    'Characters of the texts and tables that the evaluator showed of the parent, with `prompt.feedback: full`; 0: none.',
  ),
  failure: flag().describe("Whether the parent's latest failed child on the island is shown."),
  maxTokens: orNull(whole(100, ANY)).describe(
    'Longest prompt, tokens (estimated at 4 characters each); beyond it programs are dropped whole, as docs/prompts.md says.',
  ),
  reintroduced: flag().describe('Whether lines are named that came back after an ancestor had deleted them.'),
});

const HINT_EXPECTED = 'a text of 1 to 2000 characters';
const hintText = z.string({ error: HINT_EXPECTED }).max(2_000, HINT_EXPECTED).regex(/\S/, HINT_EXPECTED);
const hintIsland = orNull(whole(0, 999));

const hintsOf = <T extends z.ZodType>(hint: T) =>
  z
    .array(hint, { error: 'a list of hints, each a mapping with text and island' })
    .describe(
      "A person's hint to the model, in the prompts of one island or (island null) of all; one hint an island at most.",
    );

/** The settings as every run has them. */
export const prompt = shown.extend({ hints: hintsOf(z.strictObject({ island: hintIsland, text: hintText })) });

/** The settings as users write them: a hint without an island is for all islands. */
export const writtenPrompt = shown
  .extend({ hints: hintsOf(z.strictObject({ island: hintIsland.default(null), text: hintText })) })
  .partial();

export const delta = z.strictObject({
  window: whole(0, ANY).describe(
    '`prompt.style: delta`: attempts that count as recent and are shown with their plan; older ones with their summary.',
  ),
  disclosure: oneOf('window', 'l2-selected').describe('`l2-selected`: every one shown is shown with its plan.'),
  missing: oneOf('fallback', 'skip', 'repair').describe(
    'A program whose answer held no delta, or a part of one: shown by a mechanical one; passed over where it held none; or asked for by a further call, which counts.',
  ),
  eliteExcludesParent: flag().describe(
    "Whether the parent's own delta is left out of the elites; with `prompt.frame: common` it always is.",
  ),
});
