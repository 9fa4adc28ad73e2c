// The overview of a run: values to reach, limits, the changes that made each best, first failures, islands.
import { rescoringAt } from '../../../activities/store/documents/lineage.ts';
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import type { ProgramDocument } from '../../../activities/store/documents/step-documents.ts';
import { wordsBehind } from '../../../activities/results/program-texts.ts';
import type { Store } from '../../../activities/store/store.ts';
import { withTrackers } from '../../../activities/store/upkeep/tracking.ts';
import { temporalUi } from '../../../client/connect/connection.ts';
import { readCauses } from '../../../client/read/program-origin.ts';
import { runReport } from '../../../client/read/report.ts';
import type { RunReport } from '../../../client/read/shapes.ts';
import { withUncommitted } from '../../../client/read/uncommitted.ts';
import { adviceFor, limitsOf } from '../../../client/read/advice.ts';
import { aboutRun, attentionOf } from '../../../client/read/state-findings.ts';
import { islandsOf } from '../../../client/read/views.ts';
import { isPriced } from '../../../evolution/models/ensemble.ts';
import { rankingScore } from '../../../evolution/scoring/ranking.ts';
import { reasonOf } from '../../../evolution/steering/advice/reasons.ts';
import {
  type AtAGlance,
  type Failures,
  type Glance,
  type Islands,
  type RecordLine,
  RECORDS_AT_FIRST,
  type Records,
  runGains,
} from '../../api/run/overview.ts';
import { editedLines } from '../../../evolution/edits/reintroduced.ts';
import type { Failure, StepRecord } from '../../api/run/steps.ts';
import type { OpenStep } from '../../api/run/open-step.ts';
import { lineageOf } from '../rows/run-rows.ts';
import { Kept } from '../site/kept.ts';
import { type Answers, type Site, storedRun } from '../site/site.ts';
import { readTogether, stepsOf } from './steps.ts';

const MOST_RECORDS = 200;
const MOST_TEXT = 400;

export const glanceAnswers: Answers = (app, site) => {
  app.get('/runs/:run/overview', async (c) => {
    const { store, run: found } = await storedRun(site, c.req.param('run'));
    const { run: stored, steps } = await readTogether(store, found);
    const { runs } = await site.engine.asTheyStand([stored]);
    const [run] = await withTrackers(store, await site.withUnanswered(runs));
    const now = new Date();
    const answer: AtAGlance = {
      report: runReport(run!, now, temporalUi(site.place)),
      glance: {
        known: await site.known(run!),
        limits: limitsOf(run!, now),
        ...nextOf(run!, now),
        advice: await adviceFor(store, run!, now),
        priced: isPriced(run!.config),
        atMs: now.getTime(),
        pausedMs: run!.pausedMs ?? 0,
      },
      steps,
    };
    return c.json(answer);
  });
  const made = new Kept<RunReport['uncommitted']>(RUNS_KEPT, MADE_MS);
  app.get('/runs/:run/open-step', async (c) => {
    const { store, run } = await storedRun(site, c.req.param('run'));
    const open = await site.openStep(run.run);
    const read = async (): Promise<RunReport['uncommitted']> =>
      runReport((await withUncommitted(store, [run]))[0]!, new Date(), null).uncommitted;
    const answer: OpenStep | null = open && { ...open, made: await made.get(run.run, read) };
    return c.json(answer);
  });
  app.get('/runs/:run/records', async (c) => {
    const { store, run } = await storedRun(site, c.req.param('run'));
    const { records } = await stepsOf.of(store, run);
    return c.json(await recordsOf(store, run, records));
  });
  app.get('/runs/:run/failures', async (c) => {
    const { store, run } = await storedRun(site, c.req.param('run'));
    const { firstSeen } = await stepsOf.of(store, run);
    return c.json(await failuresOf(store, run, firstSeen));
  });
  const islands = islandAnswers(site);
  app.get('/runs/:run/islands', async (c) => c.json(await islands((await storedRun(site, c.req.param('run'))).run)));
};

/** The population of a large run takes seconds to be put together, so that takes a small part of the server's time. */
const ISLANDS_SHARE = 1 / 200;
const RUNS_KEPT = 16;
/** What open steps have made is read so often, however many look. */
const MADE_MS = 5_000;

/** The answer is made anew when it is due, and at once where the state of the run or its lineage is another. */
const islandAnswers = (site: Site): ((run: RunDocument) => Promise<Islands>) => {
  const kept = new Kept<Islands>(RUNS_KEPT);
  return (run) => {
    const key = `${run.run} ${lineageOf(run)} ${run.status}`;
    return kept.get(key, async () => {
      const beganMs = performance.now();
      const direction = (await site.known(run))?.direction ?? 'maximise';
      const islands = await islandsOf(await site.store(), run, direction);
      setTimeout(() => kept.drop(key), (performance.now() - beganMs) / ISLANDS_SHARE).unref();
      return { ...islands, direction };
    });
  };
};

/** Of a parked run the reason alone: the times stand in its report, where they count down. */
export const nextOf = (run: RunDocument, now: Date): Pick<Glance, 'next' | 'moves'> => {
  const [finding] = aboutRun({ run, live: null, now });
  const { ok = true, detail = run.status, moves = [] } = finding ?? {};
  const attention = attentionOf({ run, live: null });
  return { next: { urgent: !ok, what: attention === null ? detail : reasonOf(attention).text }, moves };
};

const cut = (text: string): string => (text.length > MOST_TEXT ? `${text.slice(0, MOST_TEXT)} …` : text);

type Change = Pick<RecordLine, 'change' | 'said' | 'lines' | 'diff'>;

const DIFF_LINES = 3;
const DIFF_CHARS = 160;
const cutLine = (line: string): string => (line.length > DIFF_CHARS ? `${line.slice(0, DIFF_CHARS)} …` : line);

/** The difference of two codes, in numbers and with its first lines. */
const diffOf = (before: string, after: string): Pick<RecordLine, 'lines' | 'diff'> => {
  const { added, deleted } = editedLines(before, after);
  const [went, came] = [deleted, added].map((lines) => lines.slice(0, DIFF_LINES).map(cutLine)) as [string[], string[]];
  return { lines: { added: added.length, deleted: deleted.length }, diff: { went, came } };
};

/**
 * The change of each program: in words where there are any, else by its lines. Only the first codes are read.
 */
const changesOf = async (
  store: Store,
  { config }: RunDocument,
  programs: readonly ProgramDocument[],
  sourceOf: (id: string) => ProgramDocument | undefined,
): Promise<ReadonlyMap<string, Change>> => {
  const bare = programs.slice(0, RECORDS_AT_FIRST).filter(({ change }) => change === undefined);
  const codes = bare.flatMap(({ _id, code }) => {
    const before = sourceOf(_id)?.code ?? null;
    return code === null || before === null ? [] : [code, before];
  });
  const texts = await store.getTexts(codes);
  const words = await wordsBehind(
    store,
    bare.map(({ _id }) => _id),
    config.diff,
  );
  return new Map(
    programs.map(({ _id, change, code, lines }): [string, Change] => {
      const [before, after] = [sourceOf(_id)?.code, code].map((one) => texts.get(one ?? ''));
      const counted = { lines: lines === undefined ? null : { added: lines.added, deleted: null }, diff: null };
      if (change === undefined) {
        const changed = before === undefined || after === undefined ? counted : diffOf(before, after);
        const said = words.get(_id);
        return [_id, { change: null, said: said === undefined ? null : cut(said), ...changed }];
      }
      const { summary, plan } = change;
      const components = plan.map(({ component }) => cut(component));
      return [_id, { change: { from: cut(summary.from), to: cut(summary.to), components }, said: null, ...counted }];
    }),
  );
};

/** `bests` are all of the run, oldest first. */
const recordsOf = async (store: Store, run: RunDocument, bests: readonly StepRecord[]): Promise<Records> => {
  const gains = runGains(bests, ({ step }) => rescoringAt(run, step) !== undefined);
  const gained = new Map(gains.map((one, index) => [bests[index]!.program, one]));
  const wanted = bests
    .map(({ program }) => program)
    .toReversed()
    .slice(0, MOST_RECORDS);
  const found = await store.getPrograms(wanted);
  const programs = wanted.flatMap((id) => found.get(id) ?? []);
  const causes = await readCauses(store, programs);
  const sources = await store.getPrograms([...causes.values()].flatMap(({ from }) => from ?? []));
  const sourceOf = (id: string): ProgramDocument | undefined => sources.get(causes.get(id)!.from ?? '');
  const changes = await changesOf(store, run, programs, sourceOf);
  const ideas = await store.getTexts(programs.flatMap(({ idea }) => idea?.text ?? []));
  const scoreOf = (program: ProgramDocument | undefined): number | null =>
    program === undefined || program.score === null
      ? null
      : rankingScore({ score: program.score, strictScore: program.strictScore }, run.config.evaluation.scoring);
  return {
    more: bests.length - wanted.length,
    records: programs.map((program): RecordLine => {
      const { _id: id, step, idea } = program;
      return {
        ...{ program: id, step, score: scoreOf(program), cause: causes.get(id)! },
        parentScore: program.rescored === undefined ? scoreOf(sourceOf(id)) : null,
        ...gained.get(id)!,
        ...changes.get(id)!,
        idea: idea === undefined ? null : cut(ideas.get(idea.text) ?? ''),
      };
    }),
  };
};

const failuresOf = async (
  store: Store,
  run: RunDocument,
  firstSeen: { readonly [outcome in Failure]?: number },
): Promise<Failures> => {
  const found = new Map<string, ProgramDocument>();
  for (const step of new Set(Object.values(firstSeen)))
    for await (const program of store.eachProgram(run.run, { fromStep: step })) {
      if (program.step > step) break;
      if (program.outcome !== 'valid' && !found.has(program.outcome)) found.set(program.outcome, program);
    }
  return {
    failures: Object.entries(run.totals.failures)
      .filter(([, count]) => count > 0)
      .sort(([, a], [, b]) => b - a)
      .map(([outcome, count]) => {
        const { _id: program, step, reasons: [reason] = [] } = found.get(outcome) ?? {};
        const first =
          program === undefined || step === undefined
            ? null
            : { program, step, reason: reason === undefined ? null : cut(reason) };
        return { outcome: outcome as Failure, count, first };
      }),
  };
};
