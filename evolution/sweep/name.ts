// The name of a sweep, with the time of its start filled in. It stands apart from the schema, because workflows, which
// work out the name of a scheduled sweep, are bundled without it.

/**
 * `{date}` is the day in UTC (20261121) and `{time}` the hour and minute (1530). Where the second is not 0 it follows
 * (153059), so that two starts within a minute make two sweeps; it is left out where the name would become too long.
 */
export const sweepName = (name: string, at: Date): string => {
  const [date = '', time = ''] = at.toISOString().split('T');
  const [hour = '', minute = '', second = ''] = time.slice(0, 8).split(':');
  const named = (clock: string): string =>
    name.replaceAll('{date}', date.replaceAll('-', '')).replaceAll('{time}', clock);
  const exact = named(`${hour}${minute}${second}`);
  return second !== '00' && isSweepName(exact) ? exact : named(`${hour}${minute}`);
};

/** Whether a name is complete: workflow ids and run ids begin with it. */
export const isSweepName = (name: string): boolean => /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(name);
