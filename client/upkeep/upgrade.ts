// Versions of the workflows as people see and move them: which there are, what `evolve up` would do to each open run,
// sweep and step, and the ways out where one does not go on.
import { setTimeout as sleep } from 'node:timers/promises';
import { packageVersion } from '../../deploy/host/home.ts';
import { buildOf, keptVersions, sdkVersion } from '../../deploy/versions/kept-versions.ts';
import { type Replays, replayUnder } from '../../deploy/stack/replay.ts';
import {
  bindingOf,
  executionsOf,
  executionsOn,
  type OpenExecution,
  openExecutions,
  openByVersion,
  overrideVersion,
} from '../../deploy/versions/executions.ts';
import {
  givesWay,
  makeCurrent,
  polledOn,
  readRelease,
  readVersions,
  readWhenRouted,
} from '../../deploy/versions/versions.ts';
import { RUN_WORKFLOW, runWorkflowId, SWEEP_WORKFLOW, WORKFLOW_QUEUE } from '../../evolution/ids.ts';
import { type Engine, type Place, upOf } from '../connect/connection.ts';
import { MissingError, UsageError } from '../connect/errors.ts';
import {
  type Facts,
  firstLine,
  type Forecast,
  forecast,
  isUnserved,
  needsAttention,
  type Server,
  type VersionRow,
} from './upgrade-forecast.ts';

const TYPES = [RUN_WORKFLOW, 'evolutionStep', 'policyUpdate', SWEEP_WORKFLOW];

const nameOf = ({ workflowId }: OpenExecution): string => workflowId.replace(/^(run|sweep|judge)\//, '').split('/')[0]!;

/** The versions as this home and the server know them. */
const look = async ({ home }: Place, { client }: Engine) => {
  const kept = new Map(keptVersions(home.root).map((one) => [one.build, one]));
  const [versions, polled] = await Promise.all([readVersions(client), polledOn(client, WORKFLOW_QUEUE)]);
  const server = (build: string): Server => {
    const here = kept.get(build);
    // Workers of a bundle that cannot be loaded any more are those that are about to be replaced.
    if (here !== undefined) return here.sdk === sdkVersion() ? 'here' : 'other sdk';
    return polled.has(build) ? 'elsewhere' : 'nobody';
  };
  return { kept, versions, polled, server };
};
type Look = Awaited<ReturnType<typeof look>>;

/** The versions that matter: those that are current, are served, are kept here, or have something open on them. */
export const listVersions = async (place: Place, engine: Engine): Promise<readonly VersionRow[]> => {
  const { versions, kept, polled } = await look(place, engine);
  const openOn = await openByVersion(engine.client, versions);
  const rows: VersionRow[] = [];
  for (const { build, current } of versions) {
    const open = openOn.get(build)!;
    if (!current && open === 0 && !polled.has(build) && !kept.has(build)) continue;
    const release = (await readRelease(engine.client, build))?.release ?? null;
    rows.push({ build, release, current, open, polled: polled.has(build), kept: kept.has(build) });
  }
  return rows;
};

const SOON_MS = 3_000;

/** Versions that are needed and that nobody serves. A worker that has just started needs a moment. */
export const unservedVersions = async (place: Place, engine: Engine): Promise<readonly VersionRow[]> => {
  const unserved = async () => (await listVersions(place, engine)).filter(isUnserved);
  if ((await unserved()).length === 0) return [];
  await sleep(SOON_MS);
  return unserved();
};

type CheckedExecution = OpenExecution &
  Forecast & {
    readonly build: string | null;
    /** True where its history replays under the new version. Null: not tried, for want of time. */
    readonly replays: boolean | null;
    /** The first difference of the replay. */
    readonly difference: string | null;
  };

export type UpgradeCheck = {
  /** The version that `evolve up` would make the current one. */
  readonly build: string;
  readonly release: string;
  readonly current: string | null;
  readonly executions: readonly CheckedExecution[];
  readonly ok: boolean;
};

type CheckOptions = {
  readonly bundle: string;
  /** The most seconds of replaying histories. */
  readonly seconds: number;
};

/** Says what would happen if the version of this bundle became the current one. Changes nothing. */
export const checkUpgrade = async (
  place: Place,
  engine: Engine,
  { bundle, seconds }: CheckOptions,
): Promise<UpgradeCheck> => {
  const target = buildOf(bundle);
  const { versions, server } = await look(place, engine);
  const facts: (Facts & OpenExecution)[] = [];
  for (const one of await openExecutions(engine.client, TYPES)) {
    const binding = await bindingOf(engine.client, one);
    if (binding !== null) facts.push({ ...one, name: nameOf(one), binding, target, server });
  }
  // Those first for which everything depends on it.
  const depends = (one: (typeof facts)[number]): number => Number(needsAttention(forecast(one)));
  const replays = await replayed(
    place,
    bundle,
    facts.toSorted((a, b) => depends(b) - depends(a)),
    seconds,
  );
  const executions = facts
    .map((one): CheckedExecution => {
      const replay = replays.get(one.runId);
      const { workflowId, runId, type, binding } = one;
      return {
        ...{ workflowId, runId, type, build: binding.build },
        ...forecast({ ...one, ...(replay === undefined ? {} : { replay }) }),
        replays: replay === undefined ? null : replay === null,
        difference: replay ? firstLine(replay) : null,
      };
    })
    .sort((a, b) => (a.workflowId < b.workflowId ? -1 : 1));
  return {
    build: target,
    release: packageVersion(),
    current: versions.find((one) => one.current)?.build ?? null,
    executions,
    ok: !executions.some(needsAttention),
  };
};

const replayed = (
  place: Place,
  bundle: string,
  executions: readonly OpenExecution[],
  seconds = MOST_SECONDS,
): Promise<Replays> =>
  replayUnder(executions, { home: place.home, temporal: upOf(place).temporal, env: place.env, bundle, seconds });

const MOST_SECONDS = 600;

const requireVersion = ({ versions, kept }: Look, build: string, flag: string): void => {
  const builds = [...new Set([...versions.map((one) => one.build), ...kept.keys()])];
  if (!builds.includes(build))
    throw new UsageError(
      `${flag}: expected a version of this installation (${builds.join(', ') || 'there is none yet'}), got ${build}: \`npx evolve upgrade\` lists them`,
    );
};

/** Throws UsageError where nobody would run the workflows of this version. */
const requireServer = ({ server }: Look, build: string, flag: string): void => {
  if (!['here', 'elsewhere'].includes(server(build)))
    throw new UsageError(
      `${flag}: nobody can serve version ${build}: expected its bundle in this data directory, made with version ${sdkVersion()} of Temporal's SDK, or a worker of it on another host. Start that host first`,
    );
};

const ROUTED_MS = 60_000;

/**
 * New runs begin with this version, and others go over to it, until `evolve up` asks for another one. Resolves once all
 * queues of the server know it, so that what is open goes over before its next step; to false where that takes too
 * long.
 */
export const makeVersionCurrent = async (place: Place, engine: Engine, build: string): Promise<boolean> => {
  const all = await look(place, engine);
  requireVersion(all, build, '--current');
  requireServer(all, build, '--current');
  const current = all.versions.find((one) => one.current);
  const there = current === undefined ? null : await readRelease(engine.client, current.build);
  const own = { build, release: packageVersion(), sinceMs: Date.now() };
  // Workers of a newer release would else take the place back at once.
  const release = there !== null && givesWay({ ...own, sinceMs: there.sinceMs }, there) ? there.release : own.release;
  const standing = await makeCurrent(engine.client, { ...own, release }, true);
  if (standing.kind === 'unseen')
    throw new MissingError(
      `--current: the server did not take version ${build}, because no worker of it has ever asked for work here, or another host changed the versions at the same moment: look at \`npx evolve upgrade\` and try again`,
    );
  return (await readWhenRouted(engine.client, ROUTED_MS)).routed;
};

const openOf = async ({ client }: Engine, run: string): Promise<readonly OpenExecution[]> => {
  const executions = await executionsOf(client, runWorkflowId(run));
  if (executions.length > 0) return executions;
  throw new UsageError(`run ${run} has no open workflow, so there is nothing to bind: \`npx evolve list\` shows all`);
};

/** Binds a run, with its open step, to a version under which what it has done replays. */
export const pinRun = async (place: Place, engine: Engine, run: string, build: string): Promise<number> => {
  const all = await look(place, engine);
  requireVersion(all, build, '--pin');
  requireServer(all, build, '--pin');
  const executions = await openOf(engine, run);
  const path = all.kept.get(build)?.path;
  for (const [runId, why] of path === undefined ? [] : await replayed(place, path, executions))
    if (why !== null)
      throw new UsageError(
        `--pin: ${executions.find((one) => one.runId === runId)!.workflowId} does not go on under version ${build}, because its history does not replay there: ${firstLine(why)}. Nothing was changed`,
      );
  for (const one of executions) await overrideVersion(engine.client, one, { pinned: build });
  return executions.length;
};

/** Lets a run go over to the current version again, before its next step. */
export const unpinRun = async (engine: Engine, run: string): Promise<number> => {
  const executions = await openOf(engine, run);
  for (const one of executions) await overrideVersion(engine.client, one, 'none');
  return executions.length;
};

export type Moved = {
  readonly to: string;
  readonly moved: readonly string[];
  readonly left: readonly { readonly workflowId: string; readonly why: string }[];
};

/** Hands open executions of a version to the current one, in the middle of their histories, where these replay. */
export const moveVersion = async (place: Place, engine: Engine, build: string): Promise<Moved> => {
  const all = await look(place, engine);
  requireVersion(all, build, '--move');
  const to = all.versions.find((one) => one.current)?.build;
  if (to === undefined || to === build)
    throw new UsageError(
      `--move: expected a version that is not the current one (${to ?? 'there is none yet'}), got ${build}`,
    );
  const path = all.kept.get(to)?.path;
  if (path === undefined)
    throw new UsageError(
      `--move: the bundle of the current version ${to} is not in this data directory, and what does not replay under it must not be moved: run this command on the host that has it`,
    );
  const executions = await executionsOn(engine.client, build);
  const replays = await replayed(place, path, executions);
  const moved: string[] = [];
  const left: { workflowId: string; why: string }[] = [];
  for (const one of executions) {
    const why = replays.get(one.runId);
    if (why !== null) {
      left.push({ workflowId: one.workflowId, why: firstLine(why ?? 'its history was not replayed in time') });
      continue;
    }
    await overrideVersion(engine.client, one, 'current');
    moved.push(one.workflowId);
    // An idle workflow goes over with a task of its own. It may have ended a moment ago.
    if (one.type === RUN_WORKFLOW || one.type === SWEEP_WORKFLOW)
      await engine.client.workflow
        .getHandle(one.workflowId, one.runId)
        .signal('versionChanged')
        .catch(() => undefined);
  }
  return { to, moved, left };
};
