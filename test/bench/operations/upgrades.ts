// Ten releases during one run, each with a step that no history of the others replays under: whether anything fails, is
// lost or is done twice, and how soon each release is at work. A release is a further process of the role `engine`, as
// on a host that comes with newer code; the one before it ends. It counts from the moment at which `evolve up` would say
// that the release is at work, and says what the server needs until then.
import { Client, Connection } from '@temporalio/client';
import { readWhenRouted } from '../../../deploy/versions/versions.ts';
import { stepWorkflowId } from '../../../evolution/ids.ts';
import { failedTasks } from '../../support/engine/failed-tasks.ts';
import { startModel, until } from '../../support/machine/home.ts';
import { releaseHost, type ReleaseHost } from '../../support/engine/release-host.ts';
import type { OperationsSuite } from '../operations.ts';

const RUN = 'upgraded';
const RELEASES = 10;
const [BATCH, RESPONSES] = [2, 4];
/** More than are made before the last release is at work: then the run is stopped. */
const MOST_STEPS = 1_000;
const PATIENCE_MS = 120_000;
/** A step lasts this long at least; those of real models last longer. */
const LATENCY_MS = 1_000;

/** When the process of a release began, when the server took the release, and when all its queues knew. */
type Release = {
  readonly build: string;
  readonly begunMs: number;
  readonly takenMs: number;
  readonly routedMs: number;
};
type Step = { readonly number: number; readonly build: string | null; readonly startedMs: number };

export const upgradesSuite: OperationsSuite<'upgrades'> = async (home, say, judge) => {
  const up = await home.evolve(['up']);
  if (up.code !== 0) throw new Error(`${up.stdout}${up.stderr}`);
  const model = await startModel('--trivial', '--latency-ms', String(LATENCY_MS));
  const connection = await Connection.connect({ address: home.up().temporal.address });
  const client = new Client({ connection });
  /** As `evolve up` waits for it. */
  const atWork = (build: string): Promise<Pick<Release, 'takenMs' | 'routedMs'>> =>
    until(`${build} to be at work`, PATIENCE_MS, async () => {
      const { versions, routed, sinceMs } = await readWhenRouted(client, PATIENCE_MS);
      const current = versions.find((one) => one.current)?.build;
      return current === build && routed && { takenMs: sinceMs, routedMs: Date.now() };
    });
  const must = async (...args: string[]): Promise<void> => {
    const { code, stdout, stderr } = await home.evolve(args);
    if (code !== 0) throw new Error(`${stdout}${stderr}`);
  };
  const stepOf = async (number: number): Promise<Step | null> =>
    client.workflow
      .getHandle(stepWorkflowId(RUN, number))
      .describe()
      .then(
        ({ raw, startTime }) => ({
          number,
          build: raw.workflowExecutionInfo?.versioningInfo?.deploymentVersion?.buildId || null,
          startedMs: startTime.getTime(),
        }),
        () => null,
      );
  const committed = async (): Promise<number> => (await home.json(['status', RUN])).steps as number;

  let serving: ReleaseHost | undefined;
  try {
    await must(
      ...['run', '--task', 'circle-packing-square-26', '--run', RUN, '--seed', '1', '--base-url', model.url],
      ...['--batch', String(BATCH), '--responses', String(RESPONSES), '--steps', String(MOST_STEPS)],
      ...['--model', 'offline-gp', '--set', 'evaluation.sandbox=noop', '--detach'],
    );
    const releases: Release[] = [];
    let next = 1;
    for (let number = 1; number <= RELEASES; number += 1) {
      const before = serving;
      const begunMs = Date.now();
      serving = releaseHost(home, number);
      const { build } = serving;
      releases.push({ build, begunMs, ...(await atWork(build)) });
      await until(`a step of ${build}`, PATIENCE_MS, async () => {
        // A step that has just begun has no version yet.
        for (let step = await stepOf(next); step?.build; next += 1, step = await stepOf(next))
          if (step.build === build) return true;
        return false;
      });
      await before?.stop();
    }
    await must('stop', RUN);
    await until('the run to end', PATIENCE_MS, async () => (await home.json(['status', RUN])).state === 'stopped');

    const steps = await committed();
    const begun = (await Promise.all(Array.from({ length: steps }, (_, index) => stepOf(index + 1)))).filter(
      (step) => step !== null,
    );
    /** The place of a release; that of the code with which the run began is -1. */
    const place = (build: string | null): number => releases.findIndex((release) => release.build === build);
    /** The longest of all releases: steps that an earlier one still began, and the first of its own. */
    const stepsFrom = (from: 'takenMs' | 'routedMs'): number =>
      Math.max(
        ...releases.map(
          ({ [from]: fromMs }, index) =>
            1 + begun.filter(({ startedMs, build }) => startedMs > fromMs && place(build) < index).length,
        ),
      );
    const spans = (from: 'begunMs' | 'takenMs', to: 'takenMs' | 'routedMs'): string => {
      const ms = releases.map(({ [from]: fromMs, [to]: toMs }) => toMs - fromMs).sort((a, b) => a - b);
      return `${ms[0]} to ${ms.at(-1)} ms, median ${ms[Math.floor(ms.length / 2)]}`;
    };
    const programs: readonly { readonly id: string; readonly step: number; readonly slot: number }[] =
      await home.programs(RUN, '--all');
    const distinct = new Set(programs.map(({ step, slot }) => `${step}:${slot}`)).size;
    const figures = {
      releases: releases.length,
      workflowTaskFailures: (await failedTasks(client, 'WorkflowType IN ("evolutionRun", "evolutionStep")')).length,
      lost: 1 + steps * BATCH * RESPONSES - distinct,
      duplicates: programs.length - distinct,
      stepsUntilSwitch: stepsFrom('routedMs'),
      stepsFromRouting: stepsFrom('routedMs'),
      stepsFromTaking: stepsFrom('takenMs'),
    };
    say(`    ${steps} steps under ${new Set(begun.map(({ build }) => build)).size} versions`);
    say(`    from the start of a release's process until the server took it: ${spans('begunMs', 'takenMs')}`);
    say(`    from then until all its queues knew, when \`evolve up\` says so: ${spans('takenMs', 'routedMs')}`);
    say(
      `    steps until a release is at work, from the moment at which the server took it: ${figures.stepsFromTaking}`,
    );
    for (const goal of [
      { what: 'workflow tasks that failed', value: figures.workflowTaskFailures, atMost: 0 },
      { what: 'programs lost', value: figures.lost, atMost: 0 },
      { what: 'programs made twice', value: figures.duplicates, atMost: 0 },
      {
        what: 'steps until a release is at work, from the moment at which `evolve up` says so',
        value: figures.stepsUntilSwitch,
        atMost: 1,
      },
    ])
      say(`    ${goal.what}: ${goal.value}; ${judge(goal).text}`);
    return { upgrades: figures };
  } finally {
    await serving?.stop();
    await connection.close();
    await model.stop();
  }
};
