// Ten releases during one run, each with a step that no history of the others replays under: whether anything fails, is
// lost or is done twice, and how soon each release is at work. A release is a further process of the role `engine`, as
// on a host that comes with newer code; the one before it ends.
import { Client, Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { type ChildProcess, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keptVersions } from '../../../deploy/parts/kept-versions.ts';
import { DEPLOYMENT, readVersions } from '../../../deploy/stack/versions.ts';
import { stepWorkflowId } from '../../../evolution/ids.ts';
import { failedTasks } from '../../support/failed-tasks.ts';
import { startModel, type TestHome, until } from '../../support/home.ts';
import { releaseOf } from '../../support/serving.ts';
import type { OperationsSuite } from '../operations.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const NODE = join(ROOT, 'node_modules', '.bin', 'node');
const RUN = 'upgraded';
const RELEASES = 10;
const [BATCH, RESPONSES] = [2, 4];
/** More than are made before the last release is at work: then the run is stopped. */
const MOST_STEPS = 1_000;
const PATIENCE_MS = 120_000;
/**
 * A step lasts this long at least, as steps of real models do: the server needs a moment to tell its parts of a
 * version.
 */
const LATENCY_MS = 1_000;

const start = (home: TestHome, bundle: string): ChildProcess => {
  const { temporal: server, database, offlineModel } = home.up();
  return spawn(NODE, [join(ROOT, 'workers', 'role.ts'), 'engine'], {
    env: {
      ...home.env,
      EVOLVE_HOME: home.dir,
      EVOLVE_BUNDLE: bundle,
      EVOLVE_OFFLINE_MODEL_URL: offlineModel.url,
      MONGODB_URI: database.uri,
      TEMPORAL_ADDRESS: server.address,
      TEMPORAL_NAMESPACE: server.namespace,
      TEMPORAL_CONFIG_FILE: '/dev/null',
    },
    stdio: 'ignore',
  });
};

const stop = async (child: ChildProcess | undefined): Promise<void> => {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGTERM');
  await ended;
};

const { ROUTING_CONFIG_UPDATE_STATE_COMPLETED: ROUTED } = proto.temporal.api.enums.v1.RoutingConfigUpdateState;

type Step = { readonly number: number; readonly build: string | null; readonly startedMs: number };

export const upgradesSuite: OperationsSuite<'upgrades'> = async (home, say, judge) => {
  const up = await home.evolve(['up']);
  if (up.code !== 0) throw new Error(`${up.stdout}${up.stderr}`);
  const model = await startModel('--trivial', '--latency-ms', String(LATENCY_MS));
  const connection = await Connection.connect({ address: home.up().temporal.address });
  const client = new Client({ connection });
  const current = async (): Promise<string | undefined> =>
    (await readVersions(client)).find((one) => one.current)?.build;
  /** The server says which version is the current one before all its parts know it. */
  const routed = async (): Promise<boolean> => {
    const { workerDeploymentInfo } = await client.workflowService.describeWorkerDeployment({
      namespace: client.options.namespace,
      deploymentName: DEPLOYMENT,
    });
    return workerDeploymentInfo?.routingConfigUpdateState === ROUTED;
  };
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

  let serving: ChildProcess | undefined;
  try {
    await must(
      ...['run', '--task', 'circle-packing-square-26', '--run', RUN, '--seed', '1', '--base-url', model.url],
      ...['--batch', String(BATCH), '--responses', String(RESPONSES), '--steps', String(MOST_STEPS)],
      ...['--model', 'offline-gp', '--set', 'evaluation.sandbox=noop', '--detach'],
    );
    const code = readFileSync(keptVersions(home.dir)[0]!.path, 'utf8');
    const folder = join(home.dir, 'releases');
    mkdirSync(folder);
    const switched: { readonly build: string; readonly atMs: number; routedMs: number }[] = [];
    let next = 1;
    for (let release = 1; release <= RELEASES; release += 1) {
      const build = `release-${release}`;
      const bundle = join(folder, `${build}.js`);
      writeFileSync(bundle, releaseOf(code, release));
      const before = serving;
      serving = start(home, bundle);
      await until(`${build} to be the current version`, PATIENCE_MS, async () => (await current()) === build);
      const now = { build, atMs: Date.now(), routedMs: Infinity };
      switched.push(now);
      await until(`a step of ${build}`, PATIENCE_MS, async () => {
        if (now.routedMs === Infinity && (await routed())) now.routedMs = Date.now();
        // A step that has just begun has no version yet.
        for (let step = await stepOf(next); step?.build; next += 1, step = await stepOf(next))
          if (step.build === build) return true;
        return false;
      });
      await stop(before);
    }
    await must('stop', RUN);
    await until('the run to end', PATIENCE_MS, async () => (await home.json(['status', RUN])).state === 'stopped');

    const steps = await committed();
    const begun = (await Promise.all(Array.from({ length: steps }, (_, index) => stepOf(index + 1)))).filter(
      (step) => step !== null,
    );
    const untilSwitch = (from: 'atMs' | 'routedMs'): number =>
      Math.max(
        ...switched.map(({ build, [from]: fromMs }, index) => {
          const nextMs = switched[index + 1]?.atMs ?? Infinity;
          const late = begun.filter(
            ({ startedMs, build: of }) => startedMs > fromMs && startedMs < nextMs && of !== build,
          );
          return 1 + late.length;
        }),
      );
    const routing = switched.map(({ atMs, routedMs }) => routedMs - atMs);
    const programs: readonly { readonly id: string; readonly step: number; readonly slot: number }[] =
      await home.programs(RUN, '--all');
    const distinct = new Set(programs.map(({ step, slot }) => `${step}:${slot}`)).size;
    const figures = {
      releases: switched.length,
      workflowTaskFailures: (await failedTasks(client, 'WorkflowType IN ("evolutionRun", "evolutionStep")')).length,
      lost: 1 + steps * BATCH * RESPONSES - distinct,
      duplicates: programs.length - distinct,
      stepsUntilSwitch: untilSwitch('atMs'),
      stepsFromRouting: untilSwitch('routedMs'),
    };
    say(`    ${steps} steps under ${new Set(begun.map(({ build }) => build)).size} versions`);
    say(
      `    all parts of the server knew a release ${Math.min(...routing)} to ${Math.max(...routing)} ms after it was the current one; steps until it is at work from then on: ${figures.stepsFromRouting}`,
    );
    for (const goal of [
      { what: 'workflow tasks that failed', value: figures.workflowTaskFailures, atMost: 0 },
      { what: 'programs lost', value: figures.lost, atMost: 0 },
      { what: 'programs made twice', value: figures.duplicates, atMost: 0 },
      { what: 'steps until a release is at work', value: figures.stepsUntilSwitch, atMost: 1 },
    ])
      say(`    ${goal.what}: ${goal.value}; ${judge(goal).text}`);
    return { upgrades: figures };
  } finally {
    await stop(serving);
    await connection.close();
    await model.stop();
  }
};
