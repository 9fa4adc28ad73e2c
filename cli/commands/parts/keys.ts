// evolve keys: which endpoints have a key, here or for all hosts; and sharing them through the database. No key is ever
// printed.
import { keyPlaces, shareKeys, unshareKeys } from '../../../client/connect/shared-keys.ts';
import { type Build, describe } from '../../flags/command.ts';
import { onStore } from '../../flags/open.ts';
import { answer } from '../../terminal/output.ts';

const ENDPOINTS = ['[endpoints...]', 'addresses of endpoints; all without any'] as const;

export const build: Build = (command) =>
  command
    .action(
      onStore(async (context, _, store) => {
        const keys = await keyPlaces(store, context.home.root);
        answer(context, { keys }, () =>
          keys.length === 0
            ? ['no endpoint has a key']
            : keys.map(({ endpoint, here, shared }) =>
                [endpoint, ...(here ? ['in keys.json'] : []), ...(shared ? ['shared with all hosts'] : [])].join('  '),
              ),
        );
      }),
    )
    .addCommand(
      describe('share', 'give all hosts the keys of this data directory, encrypted under EVOLVE_SECRETS_KEY')
        .argument(...ENDPOINTS)
        .action(
          onStore(async (context, _, store, endpoints: readonly string[]) => {
            const shared = await shareKeys(store, { home: context.home.root, env: context.env }, endpoints);
            answer(context, { shared }, () =>
              shared.map((endpoint) => `${endpoint}: shared with all hosts that have EVOLVE_SECRETS_KEY`),
            );
          }),
        ),
    )
    .addCommand(
      describe('unshare', 'take keys out of the database again; those of data directories stay')
        .argument(...ENDPOINTS)
        .action(
          onStore(async (context, _, store, endpoints: readonly string[]) => {
            const unshared = await unshareKeys(store, endpoints);
            answer(context, { unshared }, () => unshared.map((endpoint) => `${endpoint}: not shared any more`));
          }),
        ),
    );
