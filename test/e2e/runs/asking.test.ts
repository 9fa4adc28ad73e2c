// Calls beside the programs, in runs on real parts: what a group's stages cost is reserved before they are asked, a
// missing delta is asked for once more, and the initial idea is judged.
import { describe, expect, it } from 'vitest';
import type { RunDocument } from '../../../activities/store/documents/documents.ts';
import { usageOf } from '../../../client/read/usage.ts';
import { until } from '../../support/machine/home.ts';
import { endpointFor, sharedHome } from '../../support/machine/live.ts';
import { expectWhole } from '../../support/machine/whole.ts';

const tokensOf = ({ totals: { tokens } }: RunDocument): number => tokens.in + tokens.out;

describe('calls beside the programs', () => {
  const live = sharedHome();

  it('a limit on tokens holds for ideas and judgements too: no idea is paid for whose program does not fit', async () => {
    const endpoint = await endpointFor({ models: ['m'], latencyMs: 20, usage: (n) => ({ in: 90, out: 10 * n }) });
    const limit = 2_350;
    await live.engine.start('limited', {
      method: 'research',
      seed: 5,
      batch: 8,
      limits: { tokens: limit },
      evaluation: { sandbox: 'noop' },
      ideation: { threshold: 0, stopAtHuman: false },
      model: { name: 'm', baseUrl: endpoint.url, roles: ['exploit', 'idea', 'judge'], price: { in: 1, out: 1 } },
    });
    const ended = await live.engine.ended('limited');
    expect(ended.stopReason).toBe('tokens');
    const roles = new Map((await usageOf(live.engine.store, ended)).roles.map(({ role, answers }) => [role, answers]));
    expect([roles.get('idea'), roles.get('judge')]).toEqual([roles.get('exploit'), roles.get('exploit')]);
    expect(tokensOf(ended)).toBeLessThanOrEqual(limit);
    expect(limit - tokensOf(ended)).toBeLessThan(300 + 20);
    const bill = endpoint.billed();
    expect(bill.in + bill.out).toBe(tokensOf(ended));
    const initial = (await live.engine.store.getPrograms(['limited:000000:0:000000'])).values().next().value!;
    expect(initial.idea?.score ?? null).toBeNull();
  });

  it('programs that do not compile are mended before anything is run, whatever is killed; each request is paid once', async () => {
    const endpoint = await endpointFor({ models: ['m'], latencyMs: 150, broken: true });
    const [steps, batch] = [3, 4];
    await live.engine.start('mending', {
      ...{ method: 'theta', seed: 7, batch, responses: 1, limits: { steps }, population: { islands: 1 } },
      evaluation: { sandbox: 'noop' },
      model: { name: 'm', baseUrl: endpoint.url, price: { in: 1, out: 1 } },
    });
    await live.engine.seen('mending', 'step 1', ({ committedStep }) => committedStep >= 1);
    await live.engine.reset('run/mending', 'middle');
    const ended = await live.engine.ended('mending');
    const made = await expectWhole(live.engine.store, 'mending', { steps, perStep: batch });
    expect(made.filter(({ outcome }) => outcome === 'no_solution')).toEqual([]);
    const { roles, total } = await usageOf(live.engine.store, ended);
    const answers = new Map(roles.map((one) => [one.role, one.answers]));
    expect(answers.get('repair')).toBe(answers.get('exploit')! + (answers.get('explore') ?? 0));
    expect(total.tokens).toEqual(ended.totals.tokens);
    const once = endpoint.asked.length - new Set(endpoint.asked.map(({ prompt, seed }) => `${seed} ${prompt}`)).size;
    expect(once).toBeLessThanOrEqual(batch);
  });

  it("an answer without a delta is asked for it once, whatever is killed; the delta is the program's", async () => {
    const endpoint = await endpointFor({ models: ['m'], latencyMs: 150, withoutDeltas: true });
    const [steps, batch] = [3, 4];
    await live.engine.start('repairing', {
      method: 'delta',
      seed: 6,
      batch,
      limits: { steps },
      evaluation: { sandbox: 'noop' },
      delta: { missing: 'repair' },
      model: { name: 'm', baseUrl: endpoint.url, price: { in: 1, out: 1 } },
    });
    await live.engine.seen('repairing', 'step 1', ({ committedStep }) => committedStep >= 1);
    await live.engine.reset('run/repairing', 'middle');
    const ended = await live.engine.ended('repairing');
    const made = await expectWhole(live.engine.store, 'repairing', { steps, perStep: batch });
    const programs = [...(await live.engine.store.getPrograms(made.map(({ id }) => id))).values()].filter(
      ({ evaluation, parents }) => evaluation !== null && parents.length > 0,
    );
    expect(programs.length).toBeGreaterThan(0);
    for (const { change } of programs)
      expect(change).toMatchObject({ status: 'full', repair: { outcome: 'repaired' } });
    const { roles, total } = await usageOf(live.engine.store, ended);
    expect(roles.find(({ role }) => role === 'delta')!.answers).toBe(programs.length);
    expect(total.tokens).toEqual(ended.totals.tokens);
    // A request that was on its way at the reset was sent again. Both are on the bill, and both in the books.
    await until('the books to hold all that was billed', 60_000, async () => {
      const { unanswered } = await usageOf(live.engine.store, ended);
      const bill = endpoint.billed();
      const inBooks = (kind: 'in' | 'out') => total.tokens[kind] + unanswered.tokens[kind];
      // One that was given up before its answer is in the books with our estimate, and on no bill.
      return unanswered.estimated > 0 || (inBooks('in') === bill.in && inBooks('out') === bill.out);
    });
    const once = endpoint.asked.length - new Set(endpoint.asked.map(({ prompt, seed }) => `${seed} ${prompt}`)).size;
    expect(once).toBeLessThanOrEqual(batch);
  });
});
