// Steps, updates, skips, rewinds, resamplings, forks and late attempts of what was overtaken, in any order: no policy is
// lost, made twice or outside the chain, and a run has the policy that its steps say.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { PolicyDocument } from '../../../../activities/store/documents/learning-documents.ts';
import { SupersededError } from '../../../../activities/store/documents/errors.ts';
import { epochAt } from '../../../../activities/store/steps/paid.ts';
import type { Store } from '../../../../activities/store/store.ts';
import { emptyPopulation } from '../../../../evolution/population/population.ts';
import { sha256 } from '../../../../activities/sha256.ts';
import { memoryStore } from '../../../doubles/memory-store.ts';
import { config, newRun, totals } from '../fixtures.ts';
import { policyOf } from './learning-fixtures.ts';

/** The expected state of a run, which is compared with the store. */
type Expected = {
  committed: number;
  learned: number;
  /** By version; each was trained on the step, with what the step answered under the epoch. */
  chain: readonly { readonly id: string; readonly step: number }[];
};

const NEW: Expected = { committed: -1, learned: -1, chain: [] };

const until = ({ learned, chain }: Expected, step: number): Expected => {
  const left = chain.filter((policy) => policy.step <= step);
  const lost = chain.length > 0 && left.length === 0;
  return { committed: step, learned: lost ? -1 : Math.min(learned, step), chain: left };
};

class World {
  readonly store: Store = memoryStore();
  readonly runs = new Map<string, Expected>();
  /** Everything that was ever sent to the store with a generation, to be sent again when it is too late. */
  readonly sent: (() => Promise<unknown>)[] = [];
  /** The execution that goes on with each run: the one that reset it last. */
  readonly #owners = new Map<string, string>();
  #resets = 0;

  async begin(run: string): Promise<void> {
    await this.store.createRun(newRun(run));
    this.runs.set(run, NEW);
  }

  async document(run: string) {
    return (await this.store.readRun(run))!;
  }

  async step(run: string): Promise<void> {
    const expected = this.runs.get(run)!;
    const step = expected.committed + 1;
    const generation = await this.store.openStep(run, step, this.#owners.get(run) ?? 'first');
    const { epochs } = await this.document(run);
    const commit = () =>
      this.store.commit({
        ...{ run, step, epoch: epochAt(epochs, step), generation, configVersion: 1, programs: [], best: null },
        totals: totals(step),
        changeSet: {
          ...{ step, add: [], remove: [], cells: [], evicted: [], migrated: [] },
          state: emptyPopulation(config().population).state,
        },
      });
    await commit();
    this.sent.push(commit);
    this.runs.set(run, { ...expected, committed: step });
  }

  /** The id says parent, step and answers: the same ones give the same policy. */
  async update(run: string): Promise<void> {
    const expected = this.runs.get(run)!;
    const { generation, epochs } = await this.document(run);
    const isStart = expected.chain.length === 0;
    const step = isStart ? expected.committed : expected.learned + 1;
    if (step < 0 || step > expected.committed) return;
    const parent = expected.chain.at(-1)?.id ?? null;
    const answers = isStart ? 'base' : epochAt(epochs, step);
    const made = policyOf(run, expected.chain.length, step, parent);
    const id = `${run}:${sha256(`${parent} ${step} ${answers}`)}`;
    const policy: PolicyDocument = { ...made, _id: id, updateId: sha256(id), kind: isStart ? 'start' : 'policy' };
    const commit = () => this.store.commitPolicy(policy, generation);
    await commit();
    this.sent.push(commit);
    if (isStart) await this.store.settleStep(run, step, generation);
    const learned = Math.max(expected.learned, step);
    this.runs.set(run, { ...expected, learned, chain: [...expected.chain, { id, step }] });
  }

  async skip(run: string): Promise<void> {
    const expected = this.runs.get(run)!;
    const step = expected.learned + 1;
    if (expected.chain.length === 0 || step > expected.committed) return;
    const { generation } = await this.document(run);
    const settle = () => this.store.settleStep(run, step, generation);
    await settle();
    this.sent.push(settle);
    this.runs.set(run, { ...expected, learned: step });
  }

  async goBack(run: string, place: number, resample: boolean): Promise<void> {
    const expected = this.runs.get(run)!;
    if (expected.committed < 0) return;
    const step = place % (expected.committed + 1);
    const owner = `reset ${++this.#resets}`;
    this.#owners.set(run, owner);
    await this.store.openStep(run, step, owner);
    if (resample) await this.store.resample(run, step, owner);
    this.runs.set(run, until(expected, step - 1));
  }

  async fork(run: string, place: number): Promise<void> {
    const expected = this.runs.get(run)!;
    if (expected.committed < 0 || this.runs.size > 3) return;
    const step = place % (expected.committed + 1);
    const fork = `r${this.runs.size}`;
    await this.store.createFork({ run: fork, from: run, step, config: config(), createdAt: new Date(0) });
    this.runs.set(fork, until(expected, step));
  }

  /** Whatever it was, it is done already or refused. */
  async late(place: number): Promise<void> {
    await this.sent[place % Math.max(1, this.sent.length)]?.().catch((error: unknown) => {
      expect(error).toBeInstanceOf(SupersededError);
    });
  }

  async check(): Promise<void> {
    for (const [run, { committed, learned, chain }] of this.runs) {
      const document = await this.document(run);
      expect(document.committedStep).toBe(committed);
      const policies = await this.store.policyChain(document.policy?.id ?? null);
      expect(policies.map(({ _id, step }) => ({ id: _id, step }))).toEqual(chain);
      expect(policies.map(({ version }) => version)).toEqual(chain.map((_, version) => version));
      expect(document.learned ?? -1).toBe(learned);
      const own = await this.store.listPolicies(run);
      expect(document.training?.tokens ?? 0).toBe(own.reduce((sum, { result }) => sum + result.tokens, 0));
    }
  }
}

const action = fc.record({
  kind: fc.constantFrom(
    'step',
    'step',
    'step',
    'update',
    'update',
    'update',
    'skip',
    'back',
    'resample',
    'fork',
    'late',
  ),
  run: fc.nat(3),
  place: fc.nat(1000),
});

it('hold whatever happens in whatever order', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(action, { minLength: 5, maxLength: 40 }), async (actions) => {
      const world = new World();
      await world.begin('r0');
      for (const { kind, run: number, place } of actions) {
        const run = `r${number % world.runs.size}`;
        if (kind === 'step') await world.step(run);
        if (kind === 'update') await world.update(run);
        if (kind === 'skip') await world.skip(run);
        if (kind === 'back' || kind === 'resample') await world.goBack(run, place, kind === 'resample');
        if (kind === 'fork') await world.fork(run, place);
        if (kind === 'late') await world.late(place);
        await world.check();
      }
    }),
    { numRuns: 150, seed: 18 },
  );
});
