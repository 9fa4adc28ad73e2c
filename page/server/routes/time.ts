// The time of a step, by the history that the workflow engine keeps for a while and by the stored evaluations.
import type { RunDocument, StepDocument } from '../../../activities/store/documents/documents.ts';
import type { ProgramDocument } from '../../../activities/store/documents/step-documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import type { StepTime } from '../../api/run/time.ts';
import { FairLimit, holderOf } from '../access/fair-limit.ts';
import { Kept } from '../site/kept.ts';
import { readHistory } from '../site/step-history.ts';
import { refuse } from '../site/refusal.ts';
import { type Answers, type Site, storedRun } from '../site/site.ts';

/** One workflow does at most so many steps. */
const WINDOW = 40;
const STEPS_KEPT = 30;
/** Steps that are asked for while another is read. */
const MOST_WAITING = 20;

export const timeAnswers: Answers = (app, site) => {
  // A committed step does not change, but the engine forgets it.
  const times = new Kept<StepTime>(STEPS_KEPT);
  // One history at a time, however many look.
  let last: Promise<unknown> = Promise.resolve();
  const waiting = new FairLimit(MOST_WAITING);
  app.get('/runs/:run/time/:step', async (c) => {
    const { store, run } = await storedRun(site, c.req.param('run'));
    const step = Number(c.req.param('step'));
    if (!Number.isInteger(step) || step < 0 || step > run.committedStep)
      throw new UsageError(
        `step: expected 0 to ${run.committedStep}, the last committed step of run ${run.run}, got ${JSON.stringify(c.req.param('step'))}`,
      );
    const key = `${run.run} ${run.createdAt.getTime()} ${run.generation} ${step}`;
    const tooMany = (): never =>
      refuse(`expected at most ${MOST_WAITING} steps to be asked for at a time: ask again in a few seconds`, 429);
    const read = (): Promise<StepTime> => {
      let givenUp = false;
      const giveBack =
        waiting.take(holderOf(c), () => {
          givenUp = true;
        }) ?? tooMany();
      const reading = last.then(() => (givenUp ? tooMany() : timeOf(site, store, run, step))).finally(giveBack);
      last = reading.catch(() => undefined);
      return reading;
    };
    const time = await times.get(key, read);
    if (time.history === null) times.drop(key);
    return c.json(time);
  });
};

const timeOf = async (site: Site, store: Store, run: RunDocument, step: number): Promise<StepTime> => {
  let before: StepDocument | null = null;
  let marker: StepDocument | null = null;
  for await (const one of store.eachStep(run.run, Math.max(0, step - 1))) {
    if (one.step === step) marker = one;
    else if (one.step < step) before = one;
    if (one.step >= step) break;
  }
  if (marker === null) throw new UsageError(`step ${step} of run ${run.run} is not committed any more`);
  const [history, unknown] = await historyOf(site, run, marker);
  return {
    step,
    fromMs: before === null ? null : before.at.getTime(),
    toMs: marker.at.getTime(),
    ...{ history, unknown, evaluations: await evaluationsOf(store, run.run, step) },
  };
};

const historyOf = async (
  { place }: Site,
  { config }: RunDocument,
  { run, step, stream }: StepDocument,
): Promise<readonly [StepTime['history'], string | null]> => {
  const windows =
    config.schedule === 'overlapping' || config.population.islandSync === 'migration' || stream !== undefined;
  const earliest = windows ? Math.max(0, step - WINDOW) : step;
  try {
    const history = await readHistory(place, { run, step, earliest });
    return history === null
      ? [
          null,
          'The workflow engine keeps the history of this step no longer, or never had one: it is kept for some days after the step.',
        ]
      : [history, null];
  } catch {
    return [null, 'The workflow engine could not be asked. `npx evolve doctor` says more.'];
  }
};

const evaluationsOf = async (store: Store, run: string, step: number): Promise<StepTime['evaluations']> => {
  const programs: ProgramDocument[] = [];
  for await (const program of store.eachProgram(run, { fromStep: step })) {
    if (program.step > step) break;
    programs.push(program);
  }
  const keys = [
    ...new Set(
      programs.flatMap(({ evaluation, sameAs }) => (evaluation === null || sameAs !== undefined ? [] : [evaluation])),
    ),
  ];
  const found = await store.getEvaluations(keys);
  let [cpuMs, wallMs] = [0, 0];
  let longest: StepTime['evaluations']['longest'] = null;
  for (const [key, evaluation] of found) {
    cpuMs += evaluation.cpuMs ?? 0;
    wallMs += evaluation.wallMs;
    const program = programs.find((one) => one.evaluation === key);
    if (program !== undefined && evaluation.wallMs / 1000 > (longest?.seconds ?? -1))
      longest = { program: program._id, seconds: evaluation.wallMs / 1000 };
  }
  return {
    programs: found.size,
    notRun: programs.length - found.size,
    cpuSeconds: cpuMs / 1000,
    wallSeconds: wallMs / 1000,
    longest,
  };
};
