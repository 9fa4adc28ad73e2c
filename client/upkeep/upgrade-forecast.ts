// The fate of an open execution when another version of the workflows becomes current, and the fix for a version that
// nobody serves. All functions are pure.
import type { Binding } from '../../deploy/versions/executions.ts';
import { RUN_WORKFLOW, SWEEP_WORKFLOW } from '../../evolution/ids.ts';

export type Outcome =
  /** It is on that version, or comes to it, and nothing has to be done. */
  | 'stays'
  | 'goes over'
  | 'ends first'
  | 'taken over'
  /** It goes on, and stays behind until a person lets it go. */
  | 'pinned'
  /** Something has to be done. */
  | 'waits'
  | 'breaks'
  | 'not tried';

export type Forecast = { readonly outcome: Outcome; readonly detail: string; readonly command?: string };

/** The server of a version: this home, another host, or nobody; `other sdk`: its bundle here cannot be loaded. */
export type Server = 'here' | 'elsewhere' | 'nobody' | 'other sdk';

export type Facts = {
  /** As the engine names its type. */
  readonly type: string;
  /** The run or the sweep that it belongs to, as commands name it. */
  readonly name: string;
  readonly binding: Binding;
  /** The version that is to become the current one. */
  readonly target: string;
  readonly server: (build: string) => Server;
  /** The difference that its history meets under the target; null where it replays, left out where it was not tried. */
  readonly replay?: string | null;
};

export const needsAttention = ({ outcome }: Forecast): boolean => ['waits', 'breaks', 'not tried'].includes(outcome);

export const forecast = (facts: Facts): Forecast => {
  const { binding, target, server, type, name } = facts;
  const { build, override } = binding;
  const bound = override !== null && override !== 'current' ? override : null;
  const on = bound ?? build;
  if (on === target) return { outcome: 'stays', detail: 'is on this version' };
  if (on === null || override === 'current') return takenOver(facts, on === null ? 'has no version' : 'was moved');
  switch (server(on)) {
    case 'other sdk':
      return takenOver(facts, `is on version ${on}, which was made with another version of Temporal's SDK`);
    case 'nobody':
      return {
        outcome: 'waits',
        detail: `is on version ${on}, of which no worker and no bundle is here${tried(facts)}`,
        command: `start the host that has version ${on}, or \`npx evolve upgrade --move ${on}\``,
      };
    default:
      if (bound !== null)
        return {
          outcome: 'pinned',
          detail: `stays on version ${bound}, to which a person has bound it`,
          command: `npx evolve upgrade --unpin ${name}`,
        };
      return type === RUN_WORKFLOW || type === SWEEP_WORKFLOW
        ? { outcome: 'goes over', detail: `is on version ${on}, and goes over before its next step` }
        : { outcome: 'ends first', detail: `is on version ${on}, and ends there` };
  }
};

/** Its history meets the other code, so that everything depends on whether it replays. */
const takenOver = ({ replay, name, type }: Facts, why: string): Forecast => {
  if (replay === null) return { outcome: 'taken over', detail: `${why}; its history replays, so it goes on` };
  if (replay === undefined)
    return { outcome: 'not tried', detail: `${why}; there was no time to replay its history`, command: AGAIN };
  const sweep = type === SWEEP_WORKFLOW ? 'sweep ' : '';
  return {
    outcome: 'breaks',
    detail: `${why}, and its history does not replay: ${firstLine(replay)}`,
    command: `npx evolve ${sweep}terminate ${name}, then npx evolve ${sweep}resume ${name} once the new version is up`,
  };
};

const AGAIN = 'npx evolve upgrade --check --seconds 600';

const tried = ({ replay }: Facts): string =>
  replay === null
    ? '; its history replays under the other one'
    : replay === undefined
      ? ''
      : '; its history does not replay under the other one';

const LONGEST = 300;

export const firstLine = (text: string): string => (text.split('\n')[0] ?? '').slice(0, LONGEST);

export type VersionRow = {
  readonly build: string;
  /** Null where it never was the current one. */
  readonly release: string | null;
  readonly current: boolean;
  /** Executions that are open on it. */
  readonly open: number;
  /** True where workers of it ask for work, or did in the last minutes. */
  readonly polled: boolean;
  /** True where this home has its bundle. */
  readonly kept: boolean;
};

export const isUnserved = ({ polled, current, open }: VersionRow): boolean => !polled && (current || open > 0);

/** The finding of `evolve doctor` on a version that nobody serves. */
export const unservedFinding = ({ build, current, open, kept }: VersionRow): { detail: string; fix: string } => ({
  detail: `no worker of version ${build} of the workflows is there; ${current ? 'new runs begin with it' : 'it is an earlier one'}, and ${open} executions are open on it`,
  fix: kept
    ? 'npx evolve up'
    : current
      ? 'start the host that has its bundle; or npx evolve upgrade lists the versions that are here, and npx evolve upgrade --current <version> lets new runs begin with one of them'
      : `start the host that has its bundle, or npx evolve upgrade --move ${build}`,
});
