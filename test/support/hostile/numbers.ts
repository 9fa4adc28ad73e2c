// Endpoints whose numbers cannot be: of tokens, and of the time to wait.
import { completion, events, json, type Scenario } from './answers.ts';

const usage = (said: unknown): Scenario => ({
  outcome: 'answer',
  answer: ({ response }) => json(response, 200, completion({ usage: said })),
});
/** As JSON says it, because some of these numbers are no numbers of JavaScript. */
const written = (prompt: string, output = '1'): Scenario => ({
  outcome: 'answer',
  answer: ({ response }) =>
    json(
      response,
      200,
      JSON.stringify(completion({ usage: 0 })).replace(
        '"usage":0',
        `"usage":{"prompt_tokens":${prompt},"completion_tokens":${output}}`,
      ),
    ),
});
const wait = (outcome: Scenario['outcome'], headers: Record<string, string>, status = 429): Scenario => ({
  outcome,
  answer: ({ response }) => json(response, status, { error: { message: 'slow down' } }, headers),
});

const DAY = 86_400;

/** Scenarios whose usage is believed in no part; they begin with `usage-`. */
export const NUMBERS: Readonly<Record<string, Scenario>> = {
  'usage-huge': written('1e308', '1e308'),
  'usage-infinite': written('1e999', '1e999'),
  'usage-beyond-texts': written('900000000', '900000000'),
  'usage-negative': written('-5', '-5'),
  'usage-text': usage({ prompt_tokens: '12', completion_tokens: '7' }),
  'usage-null': usage(null),
  'usage-left-out': usage(undefined),
  'usage-list': usage([1, 2]),
  'usage-nested': usage({ prompt_tokens: { total: 1 }, completion_tokens: [7] }),
  'usage-truth': usage({ prompt_tokens: true, completion_tokens: false }),
  'usage-huge-in-stream': {
    outcome: 'answer',
    stream: true,
    answer: ({ response }) => {
      const send = events(response);
      send({ choices: [{ index: 0, delta: { content: 'fine' }, finish_reason: 'stop' }] });
      send('{"choices": [], "usage": {"prompt_tokens": 1e308, "completion_tokens": 1e999}}');
      response.end('data: [DONE]\n\n');
    },
  },
  'details-huge': usage({
    prompt_tokens: 11,
    completion_tokens: 7,
    prompt_tokens_details: { cached_tokens: 1e300 },
    completion_tokens_details: { reasoning_tokens: -3 },
  }),
  'created-huge': { outcome: 'answer', answer: ({ response }) => json(response, 200, completion({ created: 1e308 })) },
  'wait-a-day': {
    ...wait('person', { 'retry-after': String(DAY) }),
    says: /24 hours, until \d{4}-\d\d-\d\d \d\d:\d\d UTC/,
  },
  'wait-a-day-by-date': {
    outcome: 'person',
    says: /24 hours, until/,
    answer: ({ response }) =>
      json(
        response,
        503,
        { error: { message: 'closed' } },
        { 'retry-after': new Date(Date.now() + DAY * 1000).toUTCString() },
      ),
  },
  'wait-a-day-in-ms': { ...wait('person', { 'retry-after-ms': String(DAY * 1000) }), says: /24 hours, until/ },
  'wait-a-minute': wait('unavailable', { 'retry-after': '60' }),
  'wait-negative': wait('unavailable', { 'retry-after': '-5' }),
  'wait-huge': wait('unavailable', { 'retry-after': '1e400' }),
  'wait-for-ages': wait('unavailable', { 'retry-after': '999999999999999' }),
  'wait-in-words': wait('unavailable', { 'retry-after': 'tomorrow' }),
  'wait-until-yesterday': wait('unavailable', { 'retry-after': 'Thu, 01 Jan 1970 00:00:00 GMT' }),
  'busy-for-ever': wait('unavailable', {}),
};
