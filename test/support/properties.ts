// The acceptance properties of the four methods' references (section 4 of each), in short. docs/acceptance.md is made of them and of the tests that are
// named after them (acceptance.ts).

export const METHODS = ['ThetaEvolve', 'DeltaEvolve', 'AlphaResearch', 'CodeEvolve'] as const;
export type Method = (typeof METHODS)[number];

/** By number, from 1. */
export const PROPERTIES: { readonly [method in Method]: readonly string[] } = {
  ThetaEvolve: [
    'parents come from the three branches in their shares, and within a branch uniformly', 'the islands of any K consecutive groups differ, across steps too',
    'the order in which children are finished changes nothing', 'a child lives where its parent counted', 'only valid programs are in population, archive and cells',
    'the population counts distinct programs, whatever migrated', 'migration touches memberships and cells only; once more changes nothing',
    'never more than the cap, the best never worse, the evicted stay readable', 'a cell changes owner for strictly more only', 'prose and blocks in reasoning: -0.4',
    'one block of two matches: a child and a report; none: -0.3', 'comments, blanks, docstrings, spacing: -0.3; a renamed variable is evaluated',
    'an evicted program again: -0.3; equal siblings: one evaluation, one program', 'no Python: -0.2 and no container; edits of markers or outside the block do not match',
    'no finite objective: -0.1, never best', 'a valid -0.3 is valid in rank and reward', 'the shaped reward at the published points', 'the format reward',
    'words of a task are drawn by weight, one draw a group', 'close scores give different metric lines; no placeholder is left', 'static: every parent is the initial program',
    'the batch that updates a policy: whole, in order, rebuilt the same', 'learning rate 0 gives the programs of a run without learning', 'killed anywhere and resumed: the same database',
    'one island, one cell: one owner, the best',
  ],
  DeltaEvolve: [
    'a canonical answer gives summary, plan and program', 'every variant of delimiters and labels gives the same node', 'sections in any order; of two summaries the last',
    'blocks quoted in a plan change no code', 'a missing end keeps the text; echoes of the template count as missing', 'a program without a delta is kept, may be elite, and is shown by what is known',
    'plan or summary by the window', 'one program in the prompt: the parent', 'elites: the best valid ones but roots, the older of equals', 'nobody twice in the history',
    'no farther cell than those chosen', 'labels of changes', 'the root is never shown', 'tokens are the sum of all usage; a kill changes nothing recorded',
    'shares of the ensemble, the same draws for a seed, whoever asks', 'the preset is Table 4', 'fewer input tokens than full code', 'parallel-sampling: one prompt; greedy-refine: the current best',
    'masked prompts hold no score; random context looks at none', 'a migrated program keeps delta, attempt and label',
  ],
  AlphaResearch: [
    'scored 5.4: no program, no evaluation; kept and counted', 'scored 5.5: passes', 'the score in the box', 'outcomes and rollups sum to the rounds', 'a child keeps idea, score, parent, program, result',
    'the idea prompt shows idea and code verbatim', 'a long idea is shown whole', 'a state whose idea scored 3 may be sampled', 'refused ideas are in no later prompt',
    'the run stops at the first result strictly better than the human best', 'of equal results the earlier is best', 'excel@best of the published numbers', 'a migrant has its own idea',
    'a kill between gate and program repeats nothing', 'no judge, no program; the run goes on', 'shadow mode reports failures among would-be rejections', 'further metrics do not select',
    'training and test data share no paper; every answer parses', 'batch factors multiply to 128',
  ],
  CodeEvolve: [
    'draws by rank', 'the share of epochs that explore', 'inspirations: distinct, without the parent, so many', 'exploiting, the system text is the parent\'s prompt', 'lengths of conversations',
    'no chain crosses a root', 'exploring, parent and prompt are uniform and independent', 'negative fitness: failures are never drawn or ahead; prompt fitness is the maximum',
    'with cells, parents and inspirations own one', 'the plateau schedule', 'cosine and exponential schedules', 'one tessellation for a run, whatever the scales', 'the last bin of a grid, and even bins',
    'cells never get worse; of equals the owner stays', 'a program migrates once, never the best; no topology or rate, no migration', 'migrants may arrive in any order',
    'islands with and without a barrier give the same programs', 'a killed island disturbs no other', 'one unmatched block rejects; nothing outside a block changes', 'a failed edit of a prompt leaves the prompt',
    'founders are roots', 'equal islands draw different parents', 'shares of the ensemble, per operator', 'the recorded cost is the sum over all calls', 'no evolution: one prompt throughout',
  ],
};

/** What has no test yet, and why. */
export const NOT_YET: { readonly [property: string]: string } = {
  'ThetaEvolve 22': 'there are no updates of a policy yet',
  'ThetaEvolve 23': 'there are no updates of a policy yet',
};
