// Which settings of a run can change, and why the others cannot. Called by change.ts and the reference.

/** Settings that hold for the life of a run, by dotted key, each with the reason. */
export const FIXED: { readonly [key: string]: string } = {
  method: 'programs and prompts of two methods do not make one search',
  task: 'scores of two tasks cannot be compared',
  seed: 'every draw of the run derives from it',
  'population.islands': 'programs and generations belong to islands by number',
  'population.map': 'cells have names and owners of one kind',
  'population.cells': 'the cells of the archive are named by them',
  'population.features': 'the cells of the grid are named by them',
  'population.bins': 'the cells of the grid are named by them',
  'population.bounds': 'the cells of the archive are placed by them',
  'population.grid': 'cells have owners per island or in one grid for all',
  'embedding.model': 'embeddings of two models cannot be compared',
  'embedding.dimensions': 'embeddings of two lengths cannot be compared',
  'evaluation.seed': 'scores of earlier and later programs could not be compared',
  'evaluation.scoring': 'scores of earlier and later programs could not be compared',
};

export const FIXED_KEYS: readonly string[] = Object.keys(FIXED);

/** Sections that are read anew for every request and every decision. */
const AT_ONCE = ['model', 'models', 'limits', 'embedding.baseUrl', 'embedding.timeoutSeconds', 'embedding.price'];

/** Whether a setting can change: from the next step on, at once (in the step at hand too), or never. */
export const changeOf = (key: string): 'yes' | 'at once' | 'no' =>
  (Object.hasOwn(FIXED, key) ? 'no' : AT_ONCE.some((one) => key === one || key.startsWith(`${one}.`)) ? 'at once' : 'yes');
