// The commands of the verbs: pause, resume, extend and so on, and those of sweeps. What each takes, does and says stands
// in evolution/steering.
import type { Command } from 'commander';
import { actOnSweep, isRunAct, isSweepAct, type SweepAct } from '../../../client/act.ts';
import { type Body, commandOf, type VerbName, verbOf } from '../../../evolution/steering/verbs.ts';
import { act, type Context, describe } from '../../flags/command.ts';
import { bodyOf, withFields } from '../../flags/fields.ts';
import { forMany, onRuns, RUNS_ARGUMENT, type SelectionFlags, sentence, steerRun, told } from '../../flags/many.ts';
import { withEvolve } from '../../flags/open.ts';
import { json, line } from '../../terminal/output.ts';

export const steerCommand = (name: VerbName): Command => {
  const command = describe(commandOf(name).replace(/^sweep /, ''));
  if (isSweepAct(name))
    return withFields(command.argument('<name>', 'name of the sweep, or latest'), name).action(
      act(async (context, flags: object, sweep: string) => steerSweep(context, sweep, name, bodyOf(name, flags))),
    );
  if (!isRunAct(name)) throw new Error(`${name} has a command of its own`);
  if (verbOf(name).many)
    return withFields(forMany(command.argument(...RUNS_ARGUMENT)), name).action(
      act(async (context, flags: SelectionFlags, ids: readonly string[]) =>
        onRuns(context, flags, ids, name, bodyOf(name, flags)),
      ),
    );
  return withFields(command.argument('<run>', 'id of the run, or latest'), name).action(
    act(async (context, flags: object, run: string, ...words: readonly string[]) =>
      steerRun(context, run, name, bodyOf(name, flags, words)),
    ),
  );
};

const steerSweep = <V extends SweepAct>(context: Context, id: string, name: V, body: Body<V>): Promise<void> =>
  withEvolve(context, async (evolve) => {
    const sweep = await evolve.sweep(id);
    const { result, text } = await actOnSweep(sweep, name, body);
    if (context.json) json({ sweep: sweep.name, ...told(name, body, result) });
    else line(sentence(name, sweep.name, text));
  });
