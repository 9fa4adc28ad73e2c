import { expect, test } from 'vitest';
import { withoutPlaces } from '../../../page/export/places.ts';

const hide = withoutPlaces([
  { model: { baseUrl: 'http://gpu7.inner.example:8000/v1' }, task: '/home/alice/secret/my-task' },
  { patch: { models: [{ baseUrl: 'http://gpu7.inner.example:8000/v2' }, { baseUrl: 'https://far.example/v1' }] } },
]);

test('an exported page names no endpoint, machine or folder of whoever wrote it', () => {
  const answer = hide({
    settings: { baseUrl: 'http://gpu7.inner.example:8000/v1', other: 'https://far.example/v1' },
    endpoint: 'gpu7.inner.example:8000',
    of: { 'gpu7.inner.example:8000': 3 },
    error: 'http://gpu7.inner.example:8000/v2 gave no answer; see /home/alice/secret/my-task/task.yaml',
    score: 2.5,
  });
  expect(JSON.stringify(answer)).not.toMatch(/gpu7|far\.example|alice/);
  expect(answer).toMatchObject({
    settings: { baseUrl: 'http://endpoint-1.invalid', other: 'http://endpoint-2.invalid' },
    endpoint: 'endpoint-1',
    of: { 'endpoint-1': 3 },
    error: 'http://endpoint-1.invalid gave no answer; see my-task/task.yaml',
    score: 2.5,
  });
});

test('settings that name no place change nothing', () => {
  const answer = { code: 'x = 1 / 2', task: 'circle-packing-square-26' };
  expect(withoutPlaces([{ task: 'circle-packing-square-26', model: { baseUrl: null } }])(answer)).toEqual(answer);
});
