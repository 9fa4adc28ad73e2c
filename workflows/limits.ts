// The `extend` message as absolute limits, so that storing them twice changes nothing.
import type { Limits } from '../evolution/config/run-config.ts';

/** With `add` a number is added to the present limit, or taken as it is where there was none; null removes a limit. */
export const absoluteLimits = (
  present: Limits, wanted: { readonly [limit in keyof Limits]?: number | null }, add: boolean,
): { readonly [limit: string]: number | null } =>
  Object.fromEntries(Object.entries(wanted).map(([key, value]) =>
    [key, add && value !== null ? (present[key as keyof Limits] ?? 0) + value : value]));
