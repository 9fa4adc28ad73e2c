// The sections of a report of a fault. A section that cannot be gathered is left out and named, because a bundle is
// wanted most where something is broken.
import { readdirSync } from 'node:fs';
import { availableParallelism, release, totalmem } from 'node:os';
import { join } from 'node:path';
import type { RunDocument, SweepDocument } from '../../../activities/store/documents/documents.ts';
import { SCHEMA_VERSION } from '../../../activities/store/documents/schema.ts';
import type { ProgramDocument } from '../../../activities/store/documents/step-documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import { readJsonOrNull } from '../../../deploy/host/files.ts';
import { dependencies, type Home, packageVersion } from '../../../deploy/host/home.ts';
import { metricsTargets } from '../../../deploy/host/telemetry.ts';
import { withoutPassword } from '../../../deploy/servers/external-servers.ts';
import { tailOf } from '../../../deploy/supervisor/health.ts';
import type { Plan, UpInfo } from '../../../deploy/supervisor/plan.ts';
import { runWorkflowId, stepWorkflowId, updateWorkflowId } from '../../../evolution/ids.ts';
import type { Engine, Place } from '../../connect/connection.ts';
import { diagnoseParts } from '../diagnose-parts.ts';
import { diagnose as diagnoseRun } from '../diagnose-run.ts';

/** Files of a section by name. */
export type Section = Readonly<Record<string, unknown>>;

const LOG_BYTES = 256 * 1024;
const MOST_LOGS = 40;
const METRICS_TIMEOUT_MS = 5_000;
const LAST_STEPS = 20;
const STEPS_WITH_PROGRAMS = 3;
const MOST_PROGRAMS = 500;
const LONGEST_TEXT = 1_000;

/** Variables whose values are settings and no secrets. Of all others the bundle has the name alone. */
const SETTINGS =
  /^(EVOLVE_(HOME|PARTS|RUNS|BUNDLE|METRICS|TRACES|LOG|GRACE|LEAST_FREE|SANDBOX|IMAGE|EVAL_\w+|LLM_SLOTS|DB_SLOTS|CHILD)|TEMPORAL_(ADDRESS|NAMESPACE)|DOCKER_HOST|NODE_OPTIONS)$/;

const environmentOf = (env: NodeJS.ProcessEnv): Section =>
  Object.fromEntries(
    Object.keys(env)
      .sort()
      .map((name) => [name, SETTINGS.test(name) ? env[name] : '(set)']),
  );

export const versions = (): Section => ({
  'versions.json': {
    ...{ version: packageVersion(), schema: SCHEMA_VERSION, node: process.version },
    ...{ platform: process.platform, arch: process.arch, release: release() },
    ...{ cores: availableParallelism(), memoryBytes: totalmem() },
    packages: dependencies(),
  },
});

export const processes = ({ home, env }: Place): Section => {
  const up = readJsonOrNull<UpInfo>(home.upFile);
  const plan = readJsonOrNull<Plan>(home.planFile);
  return {
    'environment.json': environmentOf(
      Object.fromEntries(Object.entries(env).filter(([name]) => /^(EVOLVE|TEMPORAL|MONGODB|OTEL|DOCKER)_/.test(name))),
    ),
    'up.json': up && { ...up, database: { ...up.database, uri: withoutPassword(up.database.uri) } },
    'plan.json':
      plan &&
      plan.children.map(({ env: own, ...child }) => ({ ...child, env: environmentOf(own as NodeJS.ProcessEnv) })),
    'ports.json': readJsonOrNull(home.portsFile),
  };
};

export const findings = async (place: Place): Promise<Section> => ({ 'doctor.json': await diagnoseParts(place) });

export const metrics = async (home: Home): Promise<Section> => {
  const answers = await Promise.all(
    metricsTargets(home).map(async ({ name, url }, index) => {
      const answer = await fetch(url, { signal: AbortSignal.timeout(METRICS_TIMEOUT_MS) })
        .then((response) => response.text())
        .catch((error: unknown) => `no answer: ${(error as Error).message}`);
      return [`metrics/${index}-${fileName(name)}.txt`, answer] as const;
    }),
  );
  return Object.fromEntries(answers);
};

const fileName = (text: string): string => text.replace(/[^A-Za-z0-9._-]/g, '_').slice(0, 60);

/** The end of a file, from the beginning of a line. */
const endOf = (file: string): string => {
  const text = tailOf(file, LOG_BYTES);
  return Buffer.byteLength(text) < LOG_BYTES ? text : text.slice(text.indexOf('\n') + 1);
};

export const logs = ({ logs: folder }: Home): Section =>
  Object.fromEntries(
    readdirSync(folder, { withFileTypes: true })
      .filter((entry) => entry.isFile())
      .slice(0, MOST_LOGS)
      .map(({ name }) => [`logs/${fileName(name)}`, endOf(join(folder, name))]),
  );

/** Long texts are those of people and models. */
const withoutTexts = (value: unknown): unknown => {
  if (typeof value === 'string')
    return value.length > LONGEST_TEXT ? `${value.slice(0, 100)}... (${value.length} characters)` : value;
  if (Array.isArray(value)) return value.map(withoutTexts);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutTexts(inner)]));
};

const briefOf = ({ run, status, statusReason, stopReason, parked, createdAt, endedAt, ...rest }: RunDocument) => ({
  ...{ run, status, statusReason, stopReason, parked, createdAt, endedAt, method: rest.config.method },
  ...{ task: rest.config.task, committedStep: rest.committedStep, totals: rest.totals, sweep: rest.sweep },
  ...{ origin: rest.origin, schema: rest.schemaVersion },
});

/** Settings of a sweep may be hints. Which ones it varies is enough. */
const sweepOf = ({ spec: _, groups, ...sweep }: SweepDocument) => ({ ...sweep, groups: groups.map(Object.keys) });

export const installation = async (store: Store): Promise<Section> => ({
  'hosts.json': await store.listHosts(),
  'needed-queues.json': await store.neededQueues(),
  'runs.json': (await store.listRuns()).map(briefOf),
  'sweeps.json': (await store.listSweeps()).map(sweepOf),
  'notices.json': (await store.listNotices({})).map(({ notice: _, ...rest }) => rest),
});

/** With `code` also programs, and what settings and documents hold of texts that people wrote. */
export const ofRun = async (store: Store, run: RunDocument, code: boolean): Promise<Section> => {
  const folder = 'run';
  const steps = [];
  for await (const step of store.eachStep(run.run, Math.max(0, run.committedStep - LAST_STEPS + 1))) steps.push(step);
  const programs = [];
  for await (const one of store.eachProgram(run.run, {
    fromStep: Math.max(0, run.committedStep - STEPS_WITH_PROGRAMS + 1),
  })) {
    programs.push(one);
    if (programs.length === MOST_PROGRAMS) break;
  }
  const texts = code ? await store.getTexts(programs.flatMap((one) => one.code ?? [])) : null;
  const prompt = { ...run.config.prompt, hints: `${run.config.prompt.hints.length} hints` };
  return {
    [`${folder}/document.json`]: code ? run : withoutTexts({ ...run, config: { ...run.config, prompt } }),
    [`${folder}/steps.json`]: steps.map((step) => withoutTexts(step)),
    [`${folder}/programs.json`]: programs.map((one) => withoutTexts(code ? one : withoutWords(one))),
    ...(texts === null
      ? {}
      : {
          [`${folder}/code.json`]: Object.fromEntries(
            programs.map(({ _id, code: ref }) => [_id, ref === null ? null : (texts.get(ref) ?? null)]),
          ),
        }),
  };
};

export const findingsOfRun = async (parts: Parameters<typeof diagnoseRun>[0], run: string): Promise<Section> => ({
  'run/doctor.json': (await diagnoseRun(parts, run)).findings,
});

/** Up to what quotes a line of the program: `does not compile: x = (`. */
const withoutQuote = (reason: string): string => /^[^:`"']{0,80}/.exec(reason)![0];

/** A delta is a part of the model's answer, and reasons repeat lines of programs and what they print. */
const withoutWords = ({ change, reasons, edits, ...rest }: ProgramDocument): object => ({
  ...rest,
  reasons: reasons.map(withoutQuote),
  ...(change && {
    change: { label: change.label, status: change.status, plan: change.plan.length, repair: change.repair?.outcome },
  }),
  ...(edits && { edits: edits.map(({ block, reason }) => ({ block, reason: withoutQuote(reason) })) }),
});

type Payload = { readonly metadata?: Readonly<Record<string, string>>; readonly data?: string };

/** Payloads may hold texts of people and models. Their lengths stay, to find a payload that is too large. */
const withoutPayloads = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(withoutPayloads);
  if (typeof value !== 'object' || value === null) return value;
  const { metadata, data } = value as Payload;
  if (typeof metadata === 'object' && typeof data === 'string')
    return { encoding: Buffer.from(metadata['encoding'] ?? '', 'base64').toString('utf8'), base64Length: data.length };
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutPayloads(inner)]));
};

/** The histories of the run's workflow, of the step that is under way and of its update, as far as there are some. */
export const histories = async ({ client }: Engine, run: RunDocument, code: boolean): Promise<Section> => {
  const { historyToJSON } = await import('@temporalio/common/lib/proto-utils.js');
  const next = run.committedStep + 1;
  const ids = {
    run: runWorkflowId(run.run),
    step: stepWorkflowId(run.run, next),
    update: updateWorkflowId(run.run, next),
  };
  const files: Record<string, unknown> = {};
  for (const [name, id] of Object.entries(ids)) {
    const history = await client.workflow
      .getHandle(id)
      .fetchHistory()
      .catch((error: unknown) => {
        if (name === 'run') throw error;
        return null;
      });
    if (history === null) continue;
    const whole = JSON.parse(historyToJSON(history)) as unknown;
    files[`run/history-${name}.json`] = code ? whole : withoutTexts(withoutPayloads(whole));
  }
  return files;
};
