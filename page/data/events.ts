// GET runs/<run>/events: what happened in a run, newest first.
export const EVENT_KINDS = {
  best: 'new bests',
  step: 'steps',
  settings: 'settings',
  migration: 'migrations',
  rewind: 'rewinds',
  state: 'state',
  notice: 'notices',
  policy: 'policies',
} as const;
export type EventKind = keyof typeof EVENT_KINDS;

export type RunEvent = {
  readonly kind: EventKind;
  readonly atMs: number;
  /** False where the time is that of the step, because that of the event itself is not stored. */
  readonly exact: boolean;
  readonly step: number | null;
  readonly text: string;
  readonly program: string | null;
};
export type Events = { readonly events: readonly RunEvent[]; readonly more: number };
