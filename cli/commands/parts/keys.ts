// evolve keys: which endpoints have a key, here or for all hosts; and sharing them through the database. No key is ever
// printed.
import type { Command } from 'commander';
import { keyPlaces, shareKeys, unshareKeys } from '../../../client/connect/shared-keys.ts';
import { act, describe } from '../../flags/command.ts';
import { withStore } from '../../flags/open.ts';
import { json, line } from '../../terminal/output.ts';

type Options = { readonly json?: boolean };
const ENDPOINTS = ['[endpoints...]', 'addresses of endpoints; all without any'] as const;

export const keysCommand = (): Command =>
  describe('keys')
    .action(
      act(async (context, _options: Options) => {
        const keys = await withStore(context, (store) => keyPlaces(store, context.home.root));
        if (context.json) return json({ keys });
        if (keys.length === 0) line('no endpoint has a key');
        for (const { endpoint, here, shared } of keys)
          line([endpoint, ...(here ? ['in keys.json'] : []), ...(shared ? ['shared with all hosts'] : [])].join('  '));
      }),
    )
    .addCommand(
      describe('share', 'give all hosts the keys of this data directory, encrypted under EVOLVE_SECRETS_KEY')
        .argument(...ENDPOINTS)
        .action(
          act(async (context, _options: Options, wanted: readonly string[]) => {
            const shared = await withStore(context, (store) =>
              shareKeys(store, { home: context.home.root, env: context.env }, wanted),
            );
            if (context.json) return json({ shared });
            for (const endpoint of shared) line(`${endpoint}: shared with all hosts that have EVOLVE_SECRETS_KEY`);
          }),
        ),
    )
    .addCommand(
      describe('unshare', 'take keys out of the database again; those of data directories stay')
        .argument(...ENDPOINTS)
        .action(
          act(async (context, _options: Options, wanted: readonly string[]) => {
            const unshared = await withStore(context, (store) => unshareKeys(store, wanted));
            if (context.json) return json({ unshared });
            for (const endpoint of unshared) line(`${endpoint}: not shared any more`);
          }),
        ),
    );
