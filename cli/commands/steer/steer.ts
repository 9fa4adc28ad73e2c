// The commands of the verbs: pause, resume, extend and so on, and those of sweeps. Their arguments, effects and words
// stand in evolution/steering.
import { actOnSweep, isRunAct, isSweepAct } from '../../../client/act.ts';
import { type VerbName, verbOf } from '../../../evolution/steering/verbs.ts';
import { act, type Build } from '../../flags/command.ts';
import { bodyOf, withFields } from '../../flags/fields.ts';
import {
  forMany,
  onRuns,
  RUNS_ARGUMENT,
  type SelectionFlags,
  sentence,
  steerRun,
  sentDocument,
} from '../../flags/many.ts';
import { onEvolve } from '../../flags/open.ts';
import { answer } from '../../terminal/output.ts';

export const steering =
  (name: VerbName): Build =>
  (command) => {
    if (isSweepAct(name))
      return withFields(command.argument('<name>', 'name of the sweep, or latest'), name).action(
        onEvolve(async (context, flags: object, evolve, id: string) => {
          const body = bodyOf(name, flags);
          const sweep = await evolve.sweep(id);
          const { result, text } = await actOnSweep(sweep, name, body);
          answer(context, { sweep: sweep.name, ...sentDocument(name, body, result) }, () => [
            sentence(name, sweep.name, text),
          ]);
        }),
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
