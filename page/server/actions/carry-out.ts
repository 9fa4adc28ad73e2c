// Does what a verb of the page says: the same calls of the library as the command of its name, and the same words about
// what was done.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { DurableEvolve } from '../../../client/durable-evolve.ts';
import type { SweepHandle } from '../../../client/sweeps/sweep-handle.ts';
import { runsDirectory } from '../../../deploy/host/home.ts';
import { setLimits } from '../../../evolution/budget/limits.ts';
import type { Limits } from '../../../evolution/config/run-config.ts';
import type { Body, Done, VerbName } from '../../data/actions.ts';

/** What differs from an answer that only says that it is done. */
export type Said = { readonly text: string } & Partial<Done>;
type Work<V extends VerbName> = (evolve: DurableEvolve, body: Body<V>, env: NodeJS.ProcessEnv) => Promise<Said>;

type How = { readonly mode?: 'step' | 'now'; readonly reason?: string };
const how = ({ mode = 'step', reason }: How) => ({ mode, ...(reason === undefined ? {} : { reason }) });
const when = ({ mode }: How, its = 'its current step'): string => (mode === 'now' ? 'now' : `after ${its}`);

const limitsText = (limits: Limits): string =>
  setLimits(limits)
    .map(([key, value]) => `${key} ${value}`)
    .join(', ') || 'none';

/** Of a sweep that is started a second time no other words are needed: the library says them. */
const steered =
  (act: (sweep: SweepHandle, request: ReturnType<typeof how>) => Promise<unknown>, say: (body: How) => string) =>
  async (evolve: DurableEvolve, { sweep: name, ...body }: { readonly sweep: string } & How): Promise<Said> => {
    const sweep = await evolve.sweep(name);
    await act(sweep, how(body));
    return { text: `${sweep.name}: ${say(body)}` };
  };

const VERBS: { readonly [V in VerbName]: Work<V> } = {
  start: async (...given) => (await import('./starting.ts')).start(...given),
  sweep: async (...given) => (await import('./starting.ts')).startSweep(...given),
  async pause(evolve, { run: id, ...body }) {
    const run = await evolve.run(id);
    await run.pause(how(body));
    return { text: `${run.id}: pauses ${when(body)}; resume goes on` };
  },
  async resume(evolve, { run: id }) {
    const run = await evolve.run(id);
    const { opened } = await run.resume();
    const step = Math.max(0, (await run.document()).committedStep);
    return { text: `${run.id}: goes on${opened ? ` after step ${step}` : ''}` };
  },
  async stop(evolve, { run: id, ...body }) {
    const run = await evolve.run(id);
    await run.stop(how(body));
    return { text: `${run.id}: stops ${when(body)}; resume continues it later` };
  },
  async extend(evolve, { run: id, limits, add, dry }) {
    const run = await evolve.run(id);
    const request = { ...limits, ...(add ? { add } : {}) };
    if (dry) {
      await run.check({ extend: request });
      return { text: `${run.id}: can be extended so` };
    }
    const { limits: now, opened } = await run.extend(request);
    return { text: `${run.id}: limits are now ${limitsText(now)}${opened ? '; it goes on' : ''}` };
  },
  async set(evolve, { run: id, patch, dry }) {
    const run = await evolve.run(id);
    if (dry) {
      await run.check({ patch });
      return { text: `${run.id}: can be changed so` };
    }
    const { version, changed } = await run.setConfig(patch);
    return {
      text:
        changed.length === 0
          ? `${run.id}: the settings have these values already (version ${version})`
          : `${run.id}: version ${version} of the settings changes ${changed.join(', ')}, from the next step on (limits and models at once)`,
    };
  },
  async hint(evolve, { run: id, hint, island }) {
    const run = await evolve.run(id);
    const { version } = await run.hint({ hint, ...(island === undefined ? {} : { island }) });
    const where = island === undefined ? 'all islands' : `island ${island}`;
    return {
      text: `${run.id}: the hint for ${where} is ${hint === null ? 'removed' : 'in the prompts'} from the next step on (version ${version} of the settings)`,
    };
  },
  async inject(evolve, { run: id, program, island }) {
    const run = await evolve.run(id);
    const { injected } = await run.inject({ program, ...(island === undefined ? {} : { island }) });
    return { text: `${run.id}: the program goes into island ${island ?? 0} with the next step (${injected})` };
  },
  async retry(evolve, { run: id, resample = false }) {
    const run = await evolve.run(id);
    const { keyRefreshed } = await run.retry(resample ? { resample } : {});
    return {
      text: `${run.id}: tries again now${resample ? ', asking the model again' : ''}${keyRefreshed ? ', with the key from OPENAI_API_KEY' : ''}`,
    };
  },
  async rewind(evolve, { run: id, toStep, resample = false }) {
    const run = await evolve.run(id);
    await run.rewind({ toStep, ...(resample ? { resample } : {}) });
    return {
      text: `${run.id}: goes on with step ${toStep}${resample ? ', asking the model afresh' : ''}; what was rewound stays stored`,
    };
  },
  fork: async (evolve, body) => (await import('./starting.ts')).fork(evolve, body),
  async export(evolve, { run: id }, env) {
    const run = await evolve.run(id);
    const directory = freeFolder(join(runsDirectory(env), run.id, 'export'));
    const manifest = await run.export(directory);
    const others = manifest.runs.filter((one) => one !== run.id);
    return {
      text: `${run.id}: exported to ${directory}${others.length === 0 ? '' : `, with ${others.join(', ')}, which it was forked off`}`,
      warnings: [
        ...(manifest.notIncluded === undefined ? [] : [`this is without ${manifest.notIncluded}`]),
        ...(manifest.lostTexts > 0 ? [`the database has lost ${manifest.lostTexts} texts that documents name`] : []),
      ],
    };
  },
  'sweep-pause': steered(
    (sweep, request) => sweep.pause(request),
    (body) => `its runs pause ${when(body, 'their current steps')}; resume goes on`,
  ),
  'sweep-resume': steered(
    (sweep) => sweep.resume(),
    () => 'goes on',
  ),
  'sweep-stop': steered(
    (sweep, request) => sweep.stop(request),
    (body) => `its runs stop ${when(body, 'their current steps')}; resume continues it later`,
  ),
};

/** The first of `export`, `export-2`, `export-3` and so on that holds nothing: the page overwrites no file. */
const freeFolder = (wanted: string): string => {
  for (let number = 1; ; number += 1) {
    const folder = number === 1 ? wanted : `${wanted}-${number}`;
    if (!existsSync(folder) || readdirSync(folder).length === 0) return folder;
  }
};

/** Throws what the library throws: UsageError, ConfigError, MissingError. */
export const carryOut = async <V extends VerbName>(
  evolve: DurableEvolve,
  verb: V,
  body: Body<V>,
  env: NodeJS.ProcessEnv,
): Promise<Done> => {
  const said = await (VERBS[verb] as Work<V>)(evolve, body, env);
  const run = 'run' in body ? (body.run as string | undefined) : undefined;
  return { run: run ?? null, warnings: [], problems: [], plan: null, ...said };
};
