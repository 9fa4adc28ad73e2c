// A run of a test and what its first step asks for: settings, document, prompts.
import type { NewRun } from '../../../activities/store/documents/documents.ts';
import type { Store } from '../../../activities/store/store.ts';
import type { RunConfig } from '../../../evolution/config/run-config.ts';
import { programId, promptId } from '../../../evolution/ids.ts';
import { resolveConfig } from '../../../evolution/methods/resolve.ts';

type Settings = Parameters<typeof resolveConfig>[0][number]['settings'];

export const configFrom = (settings: Settings): RunConfig => resolveConfig([{ settings, where: () => 'test' }]).config;

export const runOf = (config: RunConfig, run = 'r'): NewRun => ({
  ...{ run, config, taskDigest: 't', evaluatorDigest: 'e', offlineModel: false, createdAt: new Date(0) },
});

/** Prompts of the first groups of step 1 of the run `r`, each for a child of the initial program. */
export const putPrompts = async (store: Store, groups: number, texts = ['system', 'user']): Promise<void> => {
  const [system, user] = await store.putTexts(texts);
  await store.putPrompts(
    Array.from({ length: groups }, (_, group) => ({
      ...{ _id: promptId('r', 1, 0, group), run: 'r', step: 1, epoch: 0, group, system: system!, user: user! },
      ...{ parent: programId('r', 0, 0, 0), island: 0, priorPrograms: [], part: 'p', configVersion: 1 },
    })),
  );
};
