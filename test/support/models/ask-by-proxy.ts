// A process that asks two endpoints behind the proxy of its environment, and prints a line of what became of each.
import { createOpenAiClient } from '../../../activities/llm/openai/openai-client.ts';

/** The second one is never connected, and shorter than the time after which a connection is given up. */
for (const [baseUrl, timeoutMs] of [
  ['https://refused.example/v1', 5_000],
  ['https://silent.example/v1', 500],
  ...process.argv.slice(2).map((local) => [local, 20_000] as const),
] as const) {
  const client = createOpenAiClient({ baseUrl, apiKey: null, timeoutMs });
  const messages = [{ role: 'user' as const, content: 'x' }];
  const settings = { n: 1, seed: 1, model: 'm', temperature: 1, topP: 1, maxTokens: 10, timeoutMs, key: 'k' };
  const began = performance.now();
  const said = await client
    .chat({ messages, ...settings }, new AbortController().signal)
    .then(({ choices: [choice] }) => choice?.text, String);
  const late = performance.now() - began > timeoutMs + 4_000;
  console.log(`${String(said).replace(/^.*\.example\/v1 /, '')}${late ? ', and that late' : ''}`);
}
process.exit();
