// evolve hosts: who works for this installation, where, and for how long; and what runs need that no host has.
import { hostsOf } from '../../../client/connect/hosts.ts';
import { act, describe } from '../../flags/command.ts';
import { withStore } from '../../flags/open.ts';
import { json, line } from '../../terminal/output.ts';

export const hostsCommand = () =>
  describe('hosts').action(
    act(async (context, _options: { readonly json?: boolean }) => {
      const { hosts, unserved } = await withStore(context, (store) => hostsOf(store, new Date()));
      if (context.json) return json({ hosts, unserved });
      if (hosts.length === 0) line('no host has said that it works for this installation');
      for (const one of hosts)
        line(
          [
            one.role.padEnd(10),
            `${one.host} (pid ${one.pid})`.padEnd(28),
            `version ${one.version}`,
            `since ${one.since.toISOString().slice(0, 16).replace('T', ' ')}`,
            `${one.slots} slots, ${one.cores} cores, ${Math.floor(one.memoryBytes / 1e9)} GB`,
            ...(one.gpus > 0 ? [`${one.gpus} GPUs`] : []),
            ...(one.labels.length > 0 ? [`labels ${one.labels.join(', ')}`] : []),
            ...(one.silentSeconds === null ? [] : [`SILENT for ${one.silentSeconds} s`]),
          ].join('  '),
        );
      for (const { queue, text } of unserved) line(`needs attention: ${text} (queue ${queue})`);
    }),
  );
