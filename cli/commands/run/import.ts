// evolve import: a run from the files that `evolve export` wrote, or a task from a folder of another system.
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { UsageError } from '../../../client/connect/errors.ts';
import { act, type Build, type Context } from '../../flags/command.ts';
import { withTrialModels } from '../../flags/agreed.ts';
import { type ModelFlags, withModelFlags } from '../../flags/settings-flags.ts';
import { withEvolve } from '../../flags/open.ts';
import { EXIT } from '../../terminal/exit.ts';
import { answer, note, score } from '../../terminal/output.ts';

export const build: Build = (command) =>
  withModelFlags(command)
    .argument('<folder>', 'what `evolve export` wrote, or an example of another system')
    .addHelpText(
      'after',
      '\nA run: the files are checked first; nothing is changed where they are damaged or the run is here already.\nAn example of OpenEvolve, ShinkaEvolve, SkyDiscover, CodeEvolve, ThetaEvolve, GEPA or LLM4AD: task.yaml and run.yaml are made in it, and it is scored: the initial program three times, a broken one and mutants. Exit code 1 where the score does not depend on the program.',
    )
    .action(
      act(async (context, options: ModelFlags, named: string) => {
        const folder = resolve(named);
        if (!existsSync(folder)) throw new UsageError(`expected a folder, there is no ${folder}`);
        const isRun = ['manifest.json', 'runs.jsonl'].some((name) => existsSync(join(folder, name)));
        return isRun ? importRun(context, folder) : importTask(context, options, folder);
      }),
    );

const importRun = (context: Context, folder: string): Promise<void> =>
  withEvolve(context, async (evolve) => {
    const report = await evolve.import(folder);
    const { run, committedStep, lostTexts, notIncluded, imported } = report;
    if (!context.json && lostTexts > 0) note(`warning: ${lostTexts} texts were lost before the export`);
    if (!context.json && notIncluded !== undefined) note(`note: the export is without ${notIncluded}`);
    answer(context, report, () => [
      `${run}: imported up to step ${committedStep}`,
      ...imported.filter((id) => id !== run).map((other) => `  with run ${other}, which it was forked off`),
      `\`npx evolve rebuild ${run}\` checks it; \`npx evolve resume ${run}\` goes on, \`npx evolve extend ${run} --steps n\` where it is finished`,
    ]);
  });

const importTask = async (context: Context, options: ModelFlags, folder: string): Promise<number> => {
  const { importPeer, leaveStagesOut } = await import('../../../client/tasks/peers/import-peer.ts');
  const { EVALUATIONS, provePeer } = await import('../../../client/tasks/peers/proof.ts');
  const { format, packages, stages: all, artifacts, unsupported, needs, hints } = importPeer(folder);
  const yaml = join(folder, 'task.yaml');
  if (needs.length > 0)
    throw new UsageError(`${yaml}: ${needs.join('; ')}. Change it there, and import the folder again`);
  note(`${yaml}: a task of ${format}; its initial program, a broken one and mutants are scored`);
  return withTrialModels(context, options, { folder, evaluations: EVALUATIONS }, async (models) => {
    const first = await provePeer(context, folder, models);
    const short = all.length > 0 && first.problem?.includes(': at stage ') === true;
    if (short) leaveStagesOut(folder);
    const stages = short ? [] : all;
    const { problem: found, ...proof } = short ? await provePeer(context, folder, models) : first;
    const problem = found === null ? null : [...(models === null ? hints : []), found].join('; ');
    answer(context, { format, task: folder, ...proof, stages, artifacts, packages, unsupported, problem }, () => [
      `initial  ${proof.initial.map(score).join(', ')}${proof.spread === null ? '' : `; standard deviation ${score(proof.spread)}`}`,
      ...(proof.broken === null ? [] : [`broken   ${proof.broken}`]),
      ...(proof.mutants.length === 0 ? [] : [`mutants  ${proof.mutants.map(score).join(', ')}`]),
      ...(packages.length === 0 ? [] : [`packages ${packages.join(', ')}`]),
      ...(stages.length === 0
        ? []
        : [
            `stages   ${stages.map((one) => `${one.function}${one.threshold === undefined ? '' : ` (goes on from ${one.threshold})`}`).join(', ')}`,
          ]),
      ...(short ? [`stages   left out, since ${first.problem}`] : []),
      ...(unsupported.length === 0 ? [] : [`without counterpart: ${unsupported.join(', ')}`]),
      problem === null
        ? `search: npx evolve run --config ${join(folder, 'run.yaml')}`
        : `${problem}; change task.yaml, and import the folder again`,
    ]);
    return problem === null ? EXIT.well : EXIT.bad;
  });
};
