// evolve hosts: the processes that work for this installation, where and how long, and what runs need that no host has.
import { hostsOf } from '../../../client/connect/hosts.ts';
import type { Build } from '../../flags/command.ts';
import { onStore } from '../../flags/open.ts';
import { answer, minuteText } from '../../terminal/output.ts';

type Hosts = Awaited<ReturnType<typeof hostsOf>>;

export const build: Build = (command) =>
  command.action(
    onStore(async (context, _, store) => {
      const { hosts, unserved } = await hostsOf(store, new Date());
      answer(context, { hosts, unserved }, () => [
        ...(hosts.length === 0 ? ['no host has said that it works for this installation'] : hosts.map(hostLine)),
        ...unserved.map(({ queue, text }) => `needs attention: ${text} (queue ${queue})`),
      ]);
    }),
  );

const hostLine = (one: Hosts['hosts'][number]): string =>
  [
    one.role.padEnd(10),
    `${one.host} (pid ${one.pid})`.padEnd(28),
    `version ${one.version}`,
    `since ${minuteText(one.since)}`,
    `${one.slots} slots, ${one.cores} cores, ${Math.floor(one.memoryBytes / 1e9)} GB`,
    ...(one.gpus > 0 ? [`${one.gpus} GPUs`] : []),
    ...(one.labels.length > 0 ? [`labels ${one.labels.join(', ')}`] : []),
    ...(one.silentSeconds === null ? [] : [`SILENT for ${one.silentSeconds} s`]),
  ].join('  ');
