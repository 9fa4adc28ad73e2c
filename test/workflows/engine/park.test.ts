// What people read of a parked phase.
import { expect, it } from 'vitest';
import { withoutPerson } from '../../../workflows/engine/park.ts';

it('waits for a person only where the failure is of that type, whatever an endpoint writes into its error', () => {
  expect(withoutPerson('generate: Unanswered: sent 5 times')).toContain('waits for a person');
  expect(withoutPerson('Unanswered: sent 5 times')).toContain('waits for a person');
  expect(
    withoutPerson('generate: ModelUnavailable: http://127.0.0.1:8000/v1 answered 503: Unanswered: sent 5 times'),
  ).toContain('tries again by itself');
});
