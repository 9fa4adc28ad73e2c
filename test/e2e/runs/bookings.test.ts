// Requests that were sent and not answered, in runs on real parts: they count against the limits at once, every command
// says so, and a request that stays without an answer waits for a person.
import { describe, expect, it } from 'vitest';
import { MAX_UNANSWERED } from '../../../evolution/models/failures.ts';
import type { Endpoint } from '../../support/models/endpoint.ts';
import { endpointFor, sharedHome } from '../../support/machine/live.ts';
import { expectWhole } from '../../support/machine/whole.ts';

describe('requests without an answer', () => {
  const live = sharedHome();
  const settings = ({ url }: Endpoint, limits: object) => ({
    seed: 3,
    batch: 1,
    responses: 1,
    // One request at a time.
    schedule: 'steps' as const,
    limits,
    evaluation: { sandbox: 'noop' as const },
    model: { name: 'small', baseUrl: url, price: { in: 1, out: 1 }, timeoutSeconds: 1 },
  });

  // Attempt: endpoints and keys.
  it('count at once; the run waits for a person after five, or ends where they use a limit up', async () => {
    const silent = await endpointFor();
    const billing = await endpointFor();
    silent.be('hangs');
    billing.be('bills');
    await live.engine.start('bookings-silent', settings(silent, { steps: 2 }));
    // Each answer says 500 tokens and has no choices, so the third one uses the limit up.
    await live.engine.start('bookings-limit', settings(billing, { tokens: 1_200 }));

    const ended = await live.engine.ended('bookings-limit');
    expect(ended).toMatchObject({ status: 'finished', stopReason: 'tokens', totals: { programs: 0 } });
    expect(billing.arrived()).toBe(3);
    expect(await live.home.json(['status', 'bookings-limit'])).toMatchObject({
      tokens: { in: 0, out: 0 },
      paid: { tokens: 1_500, costUsd: 1_500 / 1e6 },
      unanswered: { requests: 3, tokens: { in: 1_200, out: 300 } },
    });

    const parked = await live.engine.seen(
      'bookings-silent',
      'in need of attention',
      ({ status }) => status === 'needs attention',
    );
    expect(parked.statusReason).toMatch(new RegExp(`${MAX_UNANSWERED} times.*evolve retry bookings-silent`));
    expect(silent.arrived()).toBe(MAX_UNANSWERED);
    const { unanswered, paid } = await live.home.json(['status', 'bookings-silent']);
    expect(unanswered.requests).toBe(MAX_UNANSWERED);
    expect(unanswered.tokens.in).toBeGreaterThan(0);
    expect(paid.tokens).toBe(unanswered.tokens.in + unanswered.tokens.out);
    const words = new RegExp(`without an answer: ${MAX_UNANSWERED} requests, about .* tokens \\(estimated\\)`);
    expect(await live.must('usage', 'bookings-silent', '--steps')).toMatch(words);
    expect(await live.must('status', 'bookings-silent')).toMatch(words);
    expect(silent.arrived()).toBe(MAX_UNANSWERED);

    silent.be('answers');
    await live.must('retry', 'bookings-silent');
    expect(await live.engine.ended('bookings-silent')).toMatchObject({ status: 'finished', stopReason: 'steps' });
    await expectWhole(live.engine.store, 'bookings-silent', { steps: 2, perStep: 1 });
    const after = await live.home.json(['status', 'bookings-silent']);
    expect(after.unanswered).toEqual(unanswered);
    expect(after.tokens).toMatchObject(silent.billed());
    expect(after.paid.tokens).toBe(paid.tokens + silent.billed().in + silent.billed().out);
    await live.must('rebuild', 'bookings-silent');
  });
});
