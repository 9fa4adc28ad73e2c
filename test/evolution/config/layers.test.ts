// What people see of addresses.
import { expect, test } from 'vitest';
import { hideCredentials } from '../../../evolution/config/layers.ts';

const KEY = 'sk-a1b2c3d4e5f6a7b8c9d0';

// Attempt: files, settings and the machine.
test('a key in an address of an old run is hidden, whatever its name and place', () => {
  for (const address of [
    `https://me:${KEY}@host/v1`,
    `https://host/v1?api_key=${KEY}`,
    `https://host/v1?code=${KEY}`,
    `https://host/v1?v=1&k=${KEY.slice(3)}x`,
    `https://host/${KEY}/v1`,
  ])
    expect([address, hideCredentials(address).includes(KEY.slice(3))]).toEqual([address, false]);
});

test('an address without a key is shown as it is', () => {
  for (const address of [
    'http://127.0.0.1:8000/v1',
    'https://host.openai.azure.com/openai/deployments/gpt-4.1-mini-2025/v1?api-version=2025-04-01',
    'https://host/v1/accounts/fireworks/models/llama-v3p1-405b-instruct',
  ])
    expect(hideCredentials(address)).toBe(address);
});
