// Every table and figure of the papers: the experiment that makes it, or why there is none (experiments/items.yaml).
import { z } from 'zod';
import { ConfigError } from '../config/config-error.ts';
import { schemaProblems } from '../config/problems.ts';
import { oneOf } from '../config/settings/leaves.ts';
import { fileLayer } from '../config/sources.ts';
import { type Experiment, PAPERS } from './spec.ts';

const words = (expected: string) => z.string({ error: expected }).regex(/\S/, expected);
const differs = z.array(words('a sentence'), { error: 'a list of sentences' }).default([]);
const item = words('a table or figure, such as Table 2');
const itemsSchema = z.record(
  oneOf(...PAPERS),
  z.strictObject({
    differs,
    items: z.array(
      z.union(
        [
          z.strictObject({ item, file: words('the id of an experiment'), differs }),
          z.strictObject({ item, why: words('a sentence') }),
        ],
        {
          error: '{item, file, differs} or {item, why}',
        },
      ),
    ),
  }),
);

export type PaperItem = {
  readonly paper: (typeof PAPERS)[number];
  /** As the paper names it: `Table 2`. */
  readonly item: string;
  /** The id of its experiment; null where there is none. */
  readonly file: string | null;
  /** Why there is no experiment; null where there is one. */
  readonly why: string | null;
  /** What differs from the paper, in sentences. */
  readonly differs: readonly string[];
  /** The columns whose numbers cannot be compared with the paper's, with the reasons; null where all can. */
  readonly incomparable: string | null;
};

/** The items of a file, in its order. Throws a ConfigError with every problem, also where a file is not there. */
export const itemsFromFile = (file: string, text: string, experiments: readonly Experiment[]): readonly PaperItem[] => {
  const { settings, where } = fileLayer(file, text, 'thetaevolve: {items: []}');
  const result = itemsSchema.safeParse(settings);
  if (!result.success) throw new ConfigError(schemaProblems(result.error.issues, settings, where, itemsSchema));
  const problems: string[] = [];
  const items = PAPERS.flatMap((paper) =>
    result.data[paper].items.map((one, index): PaperItem => {
      if ('why' in one) return { paper, item: one.item, file: null, why: one.why, differs: [], incomparable: null };
      const experiment = experiments.find(({ paper: of, id }) => of === paper && id === one.file);
      if (experiment === undefined)
        problems.push(
          `${where([paper, 'items', index, 'file'])}: expected an experiment of ${paper}, got ${one.file}.`,
        );
      return {
        ...{ paper, item: one.item, file: one.file, why: null },
        differs: [...one.differs, ...result.data[paper].differs],
        incomparable: experiment === undefined ? null : incomparableIn(experiment),
      };
    }),
  );
  if (problems.length > 0) throw new ConfigError(problems);
  return items;
};

const incomparableIn = ({ cases, reads }: Experiment): string | null => {
  const marked = cases.filter(
    ({ id, incomparable }) => incomparable !== undefined && (reads === undefined || reads.cases.includes(id)),
  );
  const reasons = [...Map.groupBy(marked, ({ task }) => task)].map(([task, [one]]) => `${task}: ${one!.incomparable}`);
  return reasons.length === 0 ? null : reasons.join('; ');
};
