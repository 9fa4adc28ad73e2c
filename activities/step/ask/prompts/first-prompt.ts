// The first request of a run for programs, composed before the run exists: its parent is the initial program, which has
// no score yet.
import type { RunConfig } from '../../../../evolution/config/run-config.ts';
import { programId, promptId } from '../../../../evolution/ids.ts';
import type { Task } from '../../../../evolution/task/task.ts';
import type { Message } from '../../../../evolution/types.ts';
import type { Store } from '../../../store/store.ts';
import { compose } from './compose.ts';

const RUN = 'none';
const INITIAL = programId(RUN, 0, 0, 0);

export const firstPrompt = async (task: Task, config: RunConfig): Promise<readonly Message[]> => {
  const plan = {
    ...{ _id: promptId(RUN, 1, 0, 0), run: RUN, step: 1, epoch: 0, group: 0, parent: INITIAL, island: 0 },
    ...{ priorPrograms: [], part: task.prompts[0]!.name, configVersion: 1 },
  };
  const groups = [{ plan, idea: null, prompt: null }];
  const [messages] = await compose({ store: storeOf(task), task, config, run: RUN, step: 1, groups });
  return messages!;
};

/** It has the initial program, which is not evaluated, and nothing else. */
const storeOf = ({ initialProgram }: Task): Store => {
  const program = {
    ...{ _id: INITIAL, outcome: 'valid', score: null, strictScore: null, code: INITIAL, evaluation: null },
    ...{ step: 0, bornSeq: 0, island: 0, parents: [], reasons: [] },
  };
  const has: { readonly [verb: string | symbol]: unknown } = {
    readRun: async () => null,
    async *eachProgram() {},
    getPrograms: async () => new Map([[INITIAL, program]]),
    getTexts: async () => new Map([[INITIAL, initialProgram]]),
  };
  return new Proxy({} as Store, { get: (_, verb) => has[verb] ?? (async () => new Map()) });
};
