// evolve policy export: a policy as a folder that other programs load.
import { resolve } from 'node:path';
import { exportPolicy } from '../../../client/learning/export-policy.ts';
import { requirePolicy } from '../../../client/learning/policies.ts';
import { type Build, describe } from '../../flags/command.ts';
import { onStore } from '../../flags/open.ts';
import { amount } from '../../../evolution/reports/number-text.ts';
import { answer } from '../../terminal/output.ts';

export const build: Build = (command) =>
  command.addCommand(
    describe('export', 'write the weights of a policy as a folder that vLLM and transformers load')
      .argument('<policy>', 'as <run>@<version>; evolve policies lists them')
      .requiredOption('--to <folder>', 'a folder that is not there yet')
      .action(
        onStore(async (context, { to }: { readonly to: string }, store, name: string) => {
          const done = await exportPolicy(context.home, await requirePolicy(store, name), resolve(to));
          answer(context, done, () => [
            `${done.policy}: exported to ${done.folder}`,
            `  ${done.files.length} files, ${amount(done.bytes)} bytes; the weights are those that were trained`,
            `  vllm serve ${done.folder}`,
          ]);
        }),
      ),
  );
