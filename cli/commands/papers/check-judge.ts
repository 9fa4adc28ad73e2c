// evolve check-judge: the accuracy of a judge on reviewed papers that a reward model was not trained on
// (AlphaResearch 2.3.1, Table 2).
import { Option } from 'commander';
import { join } from 'node:path';
import { createOpenAiClient } from '../../../activities/llm/openai/openai-client.ts';
import { createKeyRing } from '../../../activities/llm/transport/key-ring.ts';
import type { ModelClient } from '../../../activities/llm/chat/client.ts';
import { namedPolicy } from '../../../activities/store/learning/named-policy.ts';
import { upOf, withStore } from '../../../client/connect/connection.ts';
import { MissingError, UsageError } from '../../../client/connect/errors.ts';
import { keyFor } from '../../../client/connect/keys.ts';
import { checkJudge, type JudgeSampling, readEvalRecords } from '../../../client/learning/reward-model.ts';
import type { ModelSettings, RunConfig } from '../../../evolution/config/run-config.ts';
import { GATE_DEFAULTS } from '../../../evolution/ideas/idea.ts';
import { REWARD_DECODING } from '../../../evolution/ideas/reward-config.ts';
import { parsePolicyName } from '../../../evolution/learning/policies.ts';
import { modelsFor } from '../../../evolution/models/ensemble.ts';
import { questionOf } from './export-reward-model.ts';
import { act, type Build, type Context } from '../../flags/command.ts';
import { collect, readText, settingsFrom } from '../../flags/settings-flags.ts';
import { answer, wholeFrom } from '../../terminal/output.ts';

type Options = {
  readonly data?: string;
  readonly model?: string;
  readonly baseUrl?: string;
  readonly parallel: string;
  readonly task?: string;
  readonly config?: string;
  readonly set?: readonly string[];
};

export const build: Build = (command) =>
  command
    .argument('<records or judge>', 'rm-eval.jsonl of `evolve export reward-model`, or <name>@<version> with --data')
    .option('--data <folder>', 'folder of `evolve export reward-model`, for a judge that `evolve train-judge` trained')
    .option('--model <name>', 'the judge (or EVOLVE_MODEL)')
    .option('--base-url <url>', 'its endpoint (or OPENAI_BASE_URL)')
    .option('--config <file>', "settings of a run: its judge, asked as that run's gate asks")
    .addOption(
      new Option(
        '--set <key=value>',
        "another setting than the gate's, e.g. --set model.topP=1 --set model.maxTokens=1000; repeatable",
      ).argParser(collect),
    )
    .option('--parallel <n>', 'requests at a time', '8')
    .option('--task <task>', 'ask as the gate of this task does')
    .action(
      act(async (context, { parallel, task, data, ...flags }: Options, given: string) => {
        const file = data === undefined ? given : join(data, 'rm-eval.jsonl');
        if (data === undefined && parsePolicyName(given) !== null)
          throw new UsageError(`--data: expected the folder with rm-eval.jsonl to measure ${given} on, got none`);
        const where = data === undefined ? '<records>' : '--data';
        const records = readEvalRecords(readText(file, where, 'a file of JSON lines', 'records'), file);
        const question = await questionOf(task);
        const { client, model, baseUrl, sampling, timeoutMs } =
          data === undefined ? judgeAtEndpoint(context, flags) : await trainedJudge(context, given);
        const accuracy = await checkJudge(records, {
          ...{ client, model, timeoutMs, sampling, question },
          parallel: wholeFrom(parallel, '--parallel', 1),
        });
        const { temperature, topP, maxTokens } = sampling;
        const { threshold } = GATE_DEFAULTS;
        const report = { model, baseUrl, sampling: { temperature, topP, maxTokens }, threshold, ...accuracy };
        answer(context, report, () => [
          `${model} on ${accuracy.count} records of ${file}, temperature ${temperature}, top-p ${topP}, at most ${maxTokens} tokens`,
          `  accuracy  ${percent(accuracy.accuracy)}: score and rating on the same side of ${threshold}; what has no score counts as wrong`,
          `  unparsed  ${accuracy.unparsed}; accuracy without them ${percent(accuracy.accuracyParsed)}`,
          `  error     mean ${number(accuracy.mae)}, mean square ${number(accuracy.mse)}, of those with a score`,
        ]);
      }),
    );

/** A judge, its endpoint and its sampling. */
type Judge = {
  readonly client: ModelClient;
  readonly model: string;
  readonly baseUrl: string;
  readonly sampling: JudgeSampling;
  readonly timeoutMs: number;
};

const judgeAtEndpoint = (
  { home, env }: Context,
  flags: Pick<Options, 'model' | 'baseUrl' | 'config' | 'set'>,
): Judge => {
  const { config } = settingsFrom(flags.config === undefined ? alone(flags) : flags, env);
  const model = judgeOf(config, flags.model !== undefined);
  const { baseUrl } = model;
  if (model.kind === 'offline' || baseUrl === null)
    throw new UsageError(
      '--model: expected a judge at an endpoint, got the offline model, which judges nothing: give --model and --base-url, or set EVOLVE_MODEL and OPENAI_BASE_URL',
    );
  const timeoutMs = model.timeoutSeconds * 1000;
  const keys = createKeyRing({ home: home.root, env });
  const apiKey = keyFor(home.root, baseUrl, [model], env);
  return {
    client: createOpenAiClient({ baseUrl, apiKey, timeoutMs, keys }),
    ...{ model: model.name, baseUrl, timeoutMs },
    sampling: { ...samplingOf(model), temperature: config.ideation.judgeTemperature },
  };
};

/** Sampled as in the paper: temperature 0, at most 1000 tokens. */
const PUBLISHED: JudgeSampling = { ...REWARD_DECODING, reasoningEffort: null, stream: false };
const TRAINED_TIMEOUT_MS = 600_000;

/** A judge that was trained here, where it is served. */
const trainedJudge = async (context: Context, name: string): Promise<Judge> => {
  const { home, env } = context;
  if (parsePolicyName(name) === null)
    throw new UsageError(`<records or judge>: expected <name>@<version> with --data, e.g. judge@2, got ${name}`);
  const policy = await withStore(context, (store) => namedPolicy(store, name, '<records or judge>'));
  const baseUrl = policy.baseUrl ?? upOf(context).trainer?.url ?? null;
  if (baseUrl === null)
    throw new MissingError(`the server of policies is not running: \`npx evolve up --learn\` starts it`);
  const keys = createKeyRing({ home: home.root, env });
  const client = createOpenAiClient({
    baseUrl,
    apiKey: keys.keyOf(baseUrl),
    timeoutMs: TRAINED_TIMEOUT_MS,
    keys,
  });
  return { client, model: policy.model, baseUrl, sampling: PUBLISHED, timeoutMs: TRAINED_TIMEOUT_MS };
};

/** The settings of a run whose gate needs no judge, so that the model named by flags or environment can be checked. */
const alone = <F extends Pick<Options, 'set'>>(flags: F) => ({
  ...flags,
  method: 'research',
  set: ['ideation.gate=off', ...(flags.set ?? [])],
});

/** The model that was named, else the first judge of the settings, else their first model. */
const judgeOf = (config: RunConfig, isNamed: boolean): ModelSettings => {
  const [judge] = isNamed ? [] : modelsFor(config, 'judge');
  return judge ?? config.model;
};

/** As the gate samples, but for the temperature, which is a setting of its own. */
const samplingOf = ({ topP, maxTokens, reasoningEffort, stream }: ModelSettings) => ({
  ...{ topP, maxTokens, reasoningEffort, stream },
});

const percent = (share: number | null): string => (share === null ? 'none' : `${(100 * share).toFixed(1)} %`);
const number = (value: number | null): string => (value === null ? 'none' : value.toFixed(3));
