// Answers about the task of a run and about single programs: what one is, what became of it, and all that led to it.
import type { Hono } from 'hono';
import { unpackVector } from '../../../activities/llm/embeddings/vectors.ts';
import { type ProgramTexts, readProgram } from '../../../activities/results/program-texts.ts';
import { readArtifacts } from '../../../activities/store/content/artifacts.ts';
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import { comparableWith, eraOf, erasOf } from '../../../activities/store/documents/lineage.ts';
import type { Store } from '../../../activities/store/store.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import { taskOf } from '../../../client/connect/loaded-late.ts';
import { readCauses, readOrigin } from '../../../client/read/program-origin.ts';
import { isSuperseded } from '../../../client/read/views.ts';
import { editedLines } from '../../../evolution/edits/reintroduced.ts';
import { inventsScores } from '../../../evolution/config/noop.ts';
import type {
  ProgramArtifacts,
  ProgramAsked,
  ProgramFacts,
  ProgramSolution,
  TaskFacts,
} from '../../api/program/programs.ts';
import { componentsOf, type Similarity } from '../../api/pictures/components.ts';
import { appended, columnOf, idOf, type Rows } from '../../api/rows/rows.ts';
import { type Answers, storedRun } from '../site/site.ts';

/** Throws UsageError for a program of another run. A fork has programs of the run that it comes from. */
export const ofThisRun = (run: RunDocument, { _id, run: owner, step }: ProgramTexts['program']): void => {
  if (owner !== run.run && eraOf({ lineage: erasOf(run) }, step).run !== owner)
    throw new UsageError(`there is no program "${_id}" in run ${run.run}: it is of run ${owner}`);
};

/** Counted anew from the two codes, because a program stores the number of added lines alone. */
const linesDeletedOf = async (
  store: Store,
  { program, code }: ProgramTexts,
  from: string | null,
): Promise<number | null> => {
  if (program.lines === undefined || from === null || code === null) return null;
  const ref = (await store.getPrograms([from])).get(from)?.code ?? null;
  const before = ref === null ? undefined : (await store.getTexts([ref])).get(ref);
  return before === undefined ? null : editedLines(before, code).deleted.length;
};

const factsOf = async (store: Store, texts: ProgramTexts, run: RunDocument): Promise<ProgramFacts> => {
  const { program, evaluation, hidden } = texts;
  const delta = (await store.getDeltas([program._id])).get(program._id) ?? null;
  const { _id, code: _code, idea: _idea, prompt, ...stored } = program;
  const cause = (await readCauses(store, [program])).get(_id)!;
  const { _id: _key, run: _run, code: _ref, solution: _solution, ...evaluated } = evaluation ?? {};
  return {
    ...stored,
    id: _id,
    cause,
    superseded: await isSuperseded(store, program),
    comparable: comparableWith(run, program.step),
    code: texts.code,
    idea: texts.idea,
    linesDeleted: await linesDeletedOf(store, texts, cause.from),
    prompt: prompt === undefined ? null : { id: prompt.id, parent: prompt.parent, isNew: prompt.isNew },
    evaluated: evaluation === null ? null : (evaluated as ProgramFacts['evaluated']),
    solutionLength: texts.solution?.length ?? null,
    scoresInvented: evaluation?.isolation === 'fake',
    hidden: hidden && {
      ...{ outcome: hidden.result.outcome, score: hidden.result.score, reasons: hidden.result.reasons },
      ...{ direction: hidden.direction, initial: hidden.initial },
    },
    edit: delta && {
      ...{ reason: delta.reason, blocks: delta.blocks, unmatched: delta.unmatched },
      ...{ ambiguous: delta.ambiguous ?? [], duplicateOf: delta.duplicateOf },
    },
  };
};

const askedOf = async (store: Store, texts: ProgramTexts): Promise<ProgramAsked> => {
  const origin = await readOrigin(store, texts);
  const { model, policy, finishReason, usage, costUsd, unanswered, shown, stages } = origin;
  return {
    stages,
    answer:
      model === null
        ? null
        : {
            ...{ text: origin.texts.response, reasoning: origin.texts.reasoning, model, policy, finishReason },
            ...{ usage: usage ?? { in: 0, out: 0 }, costUsd },
          },
    shownBeside: shown,
    unanswered,
  };
};

/** So many programs have a place in one answer about similarity, so that no other answer waits long for it. */
const MOST_ALIKE = 500;

const validIds = (rows: Rows): readonly string[] => {
  const scores = columnOf(rows, 'score');
  return Array.from({ length: rows.rows }, (_, row) => row)
    .filter((row) => !Number.isNaN(scores[row]!))
    .map((row) => idOf(rows, row));
};

/** Vectors of the model of the newest program alone: those of two models cannot be compared. */
const similarityOf = async (store: Store, ids: readonly string[]): Promise<Similarity> => {
  const every = Math.ceil(ids.length / MOST_ALIKE);
  const found = await store.getEmbeddings(ids.filter((_, at) => (ids.length - 1 - at) % every === 0));
  const all = [...found.values()].filter(({ vector }) => vector.byteLength > 0).sort((a, b) => a.step - b.step);
  const newest = all.at(-1);
  const alike = all.filter(
    ({ model, vector }) => model === newest?.model && vector.byteLength === newest.vector.byteLength,
  );
  return { ids: alike.map(({ _id }) => _id), ...componentsOf(alike.map(({ vector }) => unpackVector(vector))) };
};

export const taskFacts = async (store: Store, run: RunDocument): Promise<TaskFacts> => {
  const task = await taskOf(store, run);
  const { id, title, direction, scoreName, kind, references, picture, entry, metrics = {}, bound = null } = task;
  return {
    ...{ id, title, direction, scoreName, kind, references, picture, entry, metrics, bound },
    language: task.world?.language ?? 'python',
    scoring: run.config.evaluation.scoring,
    scoresInvented: inventsScores(run.config),
  };
};

export const programAnswers: Answers = (app: Hono, site) => {
  app.get('/runs/:run/similarity', async (c) => {
    const { store, run } = await storedRun(site, c.req.param('run'));
    let rows: Rows | null = null;
    if (run.config.embedding.model !== null) {
      await site.rows.bringForward(run);
      do rows = appended(rows, await site.rows.columns(run, 'base', rows?.rows ?? 0, rows?.lineage ?? null));
      while (rows !== null && rows.rows < rows.total);
    }
    const answer: Similarity = await similarityOf(store, rows === null ? [] : validIds(rows));
    return c.json(answer);
  });
  for (const [name, give] of Object.entries(PARTS))
    app.get(`/runs/:run/programs/:id/${name}`, async (c) => {
      const { store, run } = await storedRun(site, c.req.param('run'));
      const texts = await readProgram(store, c.req.param('id'));
      if (texts === null) throw new UsageError('There is no such program. One appears when its step is committed.');
      ofThisRun(run, texts.program);
      return c.json(await give(store, texts, run));
    });
};

type Give = (store: Store, texts: ProgramTexts, run: RunDocument) => Promise<object>;

/** What is told of a program, each part by itself: a view asks for the long ones when somebody opens them. */
const PARTS: { readonly [name: string]: Give } = {
  facts: factsOf,
  asked: askedOf,
  artifacts: async (store, { evaluation }): Promise<ProgramArtifacts> => ({
    artifacts: await readArtifacts(store, evaluation?.artifacts ?? []),
  }),
  solution: async (_, { solution }): Promise<ProgramSolution> => ({ solution }),
};
