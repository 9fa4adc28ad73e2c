// evolve hosts: the processes that work for this installation, where and how long, and what runs need that no host has.
import { hostsOf } from '../../../client/connect/hosts.ts';
import { clock } from '../../../evolution/reports/number-text.ts';
import type { Build } from '../../flags/command.ts';
import { onStore } from '../../flags/open.ts';
import { answer, minuteText, zoneText } from '../../terminal/output.ts';
import { table } from '../../terminal/table.ts';

type Hosts = Awaited<ReturnType<typeof hostsOf>>;

export const build: Build = (command) =>
  command.action(
    onStore(async (context, _, store) => {
      const { hosts, unserved } = await hostsOf(store, new Date());
      answer(context, { hosts, unserved }, (width) => [
        ...(hosts.length === 0 ? ['no host has said that it works for this installation'] : hostTable(hosts, width)),
        ...unserved.map(({ queue, text }) => `needs attention: ${text} (queue ${queue})`),
      ]);
    }),
  );

const hostTable = (hosts: Hosts['hosts'], width: number): readonly string[] => {
  const since = `since (${zoneText()})`;
  return table(
    [
      ['role', 'host', 'pid', 'version', since, 'slots', 'cores', 'GB', 'GPUs', 'note'],
      ...hosts.map((one) => [
        ...[one.role, one.host, String(one.pid), one.version, minuteText(one.since), String(one.slots)],
        ...[String(one.cores), String(Math.floor(one.memoryBytes / 1e9)), String(one.gpus)],
        [
          ...(one.labels.length > 0 ? [`labels ${one.labels.join(', ')}`] : []),
          ...(one.silentSeconds === null ? [] : [`SILENT for ${clock(one.silentSeconds)}`]),
        ].join('; '),
      ]),
    ],
    { width, drop: ['version', 'GPUs', 'GB', since, 'pid', 'cores'], cut: { host: 20, note: 20 } },
  );
};
