// The name of a sweep, with the time of its start. Workflows load it without the schema.

/**
 * `{date}` is the day in UTC (20261121), `{time}` hour and minute (1530), with the second where it is not 0 and the
 * name stays short enough, so that two starts in a minute make two sweeps.
 */
export const sweepName = (name: string, at: Date): string => {
  const [date = '', time = ''] = at.toISOString().split('T');
  const [hour = '', minute = '', second = ''] = time.slice(0, 8).split(':');
  const named = (clock: string): string =>
    name.replaceAll('{date}', date.replaceAll('-', '')).replaceAll('{time}', clock);
  const exact = named(`${hour}${minute}${second}`);
  return second !== '00' && isSweepName(exact) ? exact : named(`${hour}${minute}`);
};

/** A complete name, with which workflow ids and run ids begin. */
export const isSweepName = (name: string): boolean => /^[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?$/.test(name);
