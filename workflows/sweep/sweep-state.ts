// The state of a sweep and its runs, which its workflow shows in search attributes and current details.
import type { SearchAttributeUpdatePair } from '@temporalio/common';
import { setCurrentDetails, upsertSearchAttributes } from '@temporalio/workflow';
import type { SweepPlan, SweptRun } from '../../activities/interface/sweep.ts';
import { bestOf } from '../../evolution/scoring/ranking.ts';
import { isSweepName } from '../../evolution/sweep/name.ts';
import { ATTRIBUTES } from '../engine/attributes.ts';
import { Opening } from '../engine/opening.ts';
import { Park } from '../engine/park.ts';
import { counted, keyword, listed } from '../engine/telling.ts';
import type { PauseRequest, StopRequest, SweepProgress } from '../messages/messages.ts';
import { Notes } from '../messages/notes.ts';
import type { SweepRest } from '../messages/sweep-input.ts';
import { sweepDetails } from './sweep-details.ts';

const SLOW_RETRY_MS = 30_000;

/** Ends of runs after which a person may let them go on. */
const RESUMABLE = ['stopped', 'terminated'];
const MOST_WATCHED = 50;

type Member = SweepPlan['runs'][number];

export class SweepState {
  readonly park = new Park({ slowRetryMs: SLOW_RETRY_MS, onChange: () => this.show() });
  readonly opening = new Opening();
  readonly name: string;
  /** Null until the sweep is open. */
  plan: SweepPlan | null = null;
  paused: PauseRequest | null;
  stopping: StopRequest | null = null;
  ended: { readonly status: SweepRest['status']; readonly reason: string | null } | null = null;
  /** The number of programs at which the present stretch ends. */
  rung: number | null = null;
  readonly swept = new Map<string, SweptRun>();
  /** Runs that this execution started or found alive. One of them that is lost was ended by hand, and stays so. */
  readonly ours = new Set<string>();
  /** The groups that successive halving stopped. */
  readonly out = new Set<number>();
  readonly schedule: string | null;
  /** The reason for going on in another execution; null while the sweep is in this one. */
  left: string | null = null;
  /** Messages that changed nothing; a signal has no other answer. */
  readonly notes = new Notes();
  /** The attributes as they were last written, as one text. */
  #written = '';

  constructor(
    name: string,
    { paused, schedule }: { readonly paused: PauseRequest | null; readonly schedule: string | null },
  ) {
    this.name = name;
    this.paused = paused;
    this.schedule = schedule;
  }

  get members(): readonly Member[] {
    return (this.plan?.runs ?? []).filter(({ group }) => !this.out.has(group));
  }

  isDone(run: string): boolean {
    const seen = this.swept.get(run);
    if (!seen) return false;
    if (seen.state === 'lost') return this.ours.has(run);
    return seen.state === 'ended' && (seen.rung === null || (this.rung !== null && seen.rung >= this.rung));
  }

  get alive(): readonly Member[] {
    return this.members.filter(({ run }) => this.swept.get(run)?.state === 'alive');
  }

  get waiting(): readonly Member[] {
    return this.members.filter(({ run }) => !this.isDone(run) && this.swept.get(run)?.state !== 'alive');
  }

  /** The runs that are watched: those under way, and those that a person ended and may resume. */
  get watched(): readonly SweptRun[] {
    const ended = this.members.filter(({ run }) => RESUMABLE.includes(this.swept.get(run)?.word ?? ''));
    return [...this.alive, ...ended.slice(0, MOST_WATCHED)].flatMap(({ run }) => this.swept.get(run) ?? []);
  }

  started(run: string): void {
    const { programs = 0, best = null, costUsd = 0 } = this.swept.get(run) ?? {};
    this.saw({
      ...{ run, state: 'alive', attention: false, word: 'opening', programs, best, rung: null, costUsd },
    });
  }

  saw(seen: SweptRun): void {
    this.swept.set(seen.run, seen);
    if (seen.state === 'alive') this.ours.add(seen.run);
  }

  get status(): SweepProgress['status'] {
    if (this.ended !== null) return this.ended.status;
    if (this.stopping !== null) return 'stopping';
    if (this.park.attention !== null) return this.park.parked?.trying === true ? 'retrying' : 'needs attention';
    if (this.plan === null) return 'opening';
    if (this.paused === null) return 'running';
    return this.alive.some(({ run }) => this.swept.get(run)?.word !== 'paused') ? 'pausing' : 'paused';
  }

  get progress(): SweepProgress {
    const { plan, rung, notes } = this;
    return {
      status: this.status,
      runs: plan?.runs.length ?? 0,
      waiting: this.waiting.length,
      alive: this.alive.length,
      done: this.members.filter(({ run }) => this.isDone(run)).length,
      rung,
      paused: this.paused !== null,
      stopping: this.stopping !== null,
      opening: plan === null,
      refusal: notes.latest,
      refusals: notes.refusals,
      attention: this.park.attention,
    };
  }

  /** Whatever becomes visible in lists: only what has changed is written, because each time is an event of the history. */
  show(): void {
    const attributes = this.attributes;
    const text = JSON.stringify(attributes.map(({ key, value }) => [key.name, value]));
    if (text !== this.#written) upsertSearchAttributes(attributes);
    this.#written = text;
    this.describe();
  }

  /** The state first. All that follows is of its runs; of a value that they do not share there is none. */
  get attributes(): SearchAttributeUpdatePair[] {
    const { plan, swept } = this;
    const state: SearchAttributeUpdatePair[] = [
      { key: ATTRIBUTES.status, value: this.status },
      { key: ATTRIBUTES.needsAttention, value: this.park.attention !== null && this.ended === null },
    ];
    if (plan === null) return isSweepName(this.name) ? [...state, { key: ATTRIBUTES.sweep, value: this.name }] : state;
    const seen = plan.runs.flatMap(({ run }) => swept.get(run) ?? []);
    const common = (text: string | null | undefined): string | null => (text ? keyword(text) : null);
    return [
      ...state,
      { key: ATTRIBUTES.sweep, value: plan.name },
      { key: ATTRIBUTES.task, value: common(plan.page.task) },
      { key: ATTRIBUTES.method, value: common(plan.page.method) },
      { key: ATTRIBUTES.model, value: common(plan.page.model) },
      { key: ATTRIBUTES.programs, value: counted(seen.reduce((sum, { programs }) => sum + programs, 0)) },
      { key: ATTRIBUTES.spend, value: listed(seen.reduce((sum, { costUsd }) => sum + costUsd, 0)) },
      { key: ATTRIBUTES.bestScore, value: this.#best },
    ];
  }

  /** Null where the scores of its runs cannot be compared. */
  get #best(): number | null {
    const { plan, swept } = this;
    const [direction, ...others] = new Set(plan?.page.groups.map((group) => group.direction));
    if (plan === null || direction === undefined || others.length > 0 || plan.page.task === null) return null;
    const scored = plan.runs.flatMap(({ run }) => swept.get(run)?.best ?? []);
    const best = bestOf(direction, scored, (score) => score);
    return best === null ? null : listed(best);
  }

  /** Says at the end of this execution where the sweep goes on. */
  leave(why: string): void {
    this.left = why;
    this.describe();
  }

  /** The details alone, which leave nothing in the history. */
  describe(): void {
    setCurrentDetails(this.details);
  }

  get details(): string {
    const { plan, status, rung, swept, out, schedule, left } = this;
    const { attention, parked } = this.park;
    const { refusals } = this.notes;
    const reason = this.ended?.reason ?? this.stopping?.reason ?? this.paused?.reason ?? null;
    return sweepDetails({ plan, status, reason, rung, swept, out, attention, parked, refusals, schedule, left });
  }
}
