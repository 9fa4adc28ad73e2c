// Carries out a verb of the page by the calls of the library that the command of its name makes, with the same words.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { actOnSweep, isRunAct, isSweepAct } from '../../../client/act.ts';
import type { DurableEvolve } from '../../../client/durable-evolve.ts';
import { runsDirectory } from '../../../deploy/host/home.ts';
import { doneText, type Body as VerbBody } from '../../../evolution/steering/verbs.ts';
import type { Body, Done, VerbName } from '../../api/actions/actions.ts';
import { fork, type Said, start, startSweep } from './starting.ts';

const said = async (evolve: DurableEvolve, verb: VerbName, body: object, env: NodeJS.ProcessEnv): Promise<Said> => {
  if (isSweepAct(verb)) {
    const { sweep, ...asked } = body as Body<typeof verb>;
    return { text: (await actOnSweep(await evolve.sweep(sweep), verb, asked)).text };
  }
  if (isRunAct(verb)) {
    const { run: id, dry, ...asked } = body as Body<typeof verb>;
    const run = await evolve.run(id);
    if (!dry) return { text: (await run.act(verb, asked as VerbBody<typeof verb>)).text };
    await run.check(verb, asked as VerbBody<typeof verb>);
    return { text: `${run.id}: can be changed so` };
  }
  switch (verb) {
    case 'start':
      return start(evolve, body, env);
    case 'sweep':
      return startSweep(evolve, body, env);
    case 'fork':
      return fork(evolve, body as Body<'fork'>);
    case 'export':
      return exported(evolve, body as Body<'export'>, env);
  }
};

const exported = async (evolve: DurableEvolve, { run: id }: Body<'export'>, env: NodeJS.ProcessEnv): Promise<Said> => {
  const run = await evolve.run(id);
  const directory = freeFolder(join(runsDirectory(env), run.id, 'export'));
  const manifest = await run.export(directory);
  return {
    text: doneText('export', { run: run.id }, {}, { directory, runs: manifest.runs }),
    warnings: [
      ...(manifest.notIncluded === undefined ? [] : [`this is without ${manifest.notIncluded}`]),
      ...(manifest.lostTexts > 0 ? [`the database has lost ${manifest.lostTexts} texts that documents name`] : []),
    ],
  };
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
  const run = 'run' in body ? (body.run as string | undefined) : undefined;
  return { run: run ?? null, warnings: [], problems: [], plan: null, ...(await said(evolve, verb, body, env)) };
};
