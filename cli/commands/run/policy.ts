// evolve policy export: a policy as a folder that other programs load.
import type { Command } from 'commander';
import { resolve } from 'node:path';
import { exportPolicy } from '../../../client/learning/export-policy.ts';
import { requirePolicy } from '../../../client/learning/policies.ts';
import { act, describe } from '../../flags/command.ts';
import { withStore } from '../../flags/open.ts';
import { amount, json, line } from '../../terminal/output.ts';

export const policyCommand = (): Command => describe('policy').addCommand(exportCommand());

const exportCommand = (): Command =>
  describe('export', 'write the weights of a policy as a folder that vLLM and transformers load')
    .argument('<policy>', 'as <run>@<version>; evolve policies lists them')
    .requiredOption('--to <folder>', 'a folder that is not there yet')
    .action(
      act(async (context, { to }: { readonly json?: boolean; readonly to: string }, name: string) =>
        withStore(context, async (store) => {
          const done = await exportPolicy(context.home, await requirePolicy(store, name), resolve(to));
          if (context.json) return json(done);
          line(`${done.policy}: exported to ${done.folder}`);
          line(`  ${done.files.length} files, ${amount(done.bytes)} bytes; the weights are those that were trained`);
          line(`  vllm serve ${done.folder}`);
        }),
      ),
    );
