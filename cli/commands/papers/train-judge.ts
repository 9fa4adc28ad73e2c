// evolve train-judge: a judge is fine-tuned on the texts of `evolve export reward-model`, a policy for each epoch
// (AlphaResearch 2.3.1, 4.1).
import { Option } from 'commander';
import { join } from 'node:path';
import { withParts } from '../../../client/connect/connection.ts';
import { UsageError } from '../../../client/connect/errors.ts';
import { checkRunId } from '../../../client/read/run-id.ts';
import { readTrainRecords, trainJudge, TRAINING_DEFAULTS } from '../../../client/learning/train-judge.ts';
import { tidyUrl } from '../../../evolution/config/layers.ts';
import { score } from '../../../evolution/reports/number-text.ts';
import { act, type Build } from '../../flags/command.ts';
import { readText } from '../../flags/settings-flags.ts';
import { answer, note, wholeFrom } from '../../terminal/output.ts';

type Options = {
  readonly data: string;
  readonly base: string;
  readonly trainer: string;
  readonly epochs: string;
  readonly batch: string;
  readonly learningRate: string;
  readonly schedule: 'cosine' | 'linear';
  readonly seed: string;
  readonly lora?: string;
  readonly server?: string;
  readonly serve: string;
  readonly serveUrl?: string;
};

export const build: Build = (command) =>
  command
    .argument('<name>', 'name of the judge; its policies are <name>@1 and so on, one for each epoch')
    .requiredOption('--data <folder>', 'folder that `evolve export reward-model` wrote')
    .option('--base <model>', 'folder of a model (Hugging Face format), or bytes', TRAINING_DEFAULTS.base)
    .addOption(
      new Option('--trainer <name>', 'who trains')
        .choices(['reference', 'tinker', 'trl', 'slime'])
        .default(TRAINING_DEFAULTS.trainer),
    )
    .option('--epochs <n>', 'times over all texts', String(TRAINING_DEFAULTS.epochs))
    .option('--batch <n>', 'texts of an optimizer step', String(TRAINING_DEFAULTS.batchSize))
    .option('--learning-rate <rate>', 'highest learning rate', String(TRAINING_DEFAULTS.learningRate))
    .addOption(
      new Option('--schedule <form>', 'how the learning rate falls to 0 after the warm-up')
        .choices(['cosine', 'linear'])
        .default(TRAINING_DEFAULTS.schedule),
    )
    .option('--lora <rank>', 'train low-rank adapters of this rank instead of all weights')
    .option('--seed <n>', 'seed of the order of the texts', String(TRAINING_DEFAULTS.seed))
    .option('--server <url>', "address of the trainer's API, for servers of Tinker's protocol")
    .addOption(
      new Option('--serve <who>', 'who serves the policies').choices(['trainer', 'vllm', 'sglang']).default('trainer'),
    )
    .option('--serve-url <url>', 'address of the server of policies, where the trainer does not serve them')
    .action(
      act(async (context, options: Options, name: string) => {
        checkName(name);
        const file = join(options.data, 'rm-train.jsonl');
        const records = readTrainRecords(readText(file, '--data', 'rm-train.jsonl', 'records'), file);
        const { base, trainer, serve, schedule } = options;
        const choice = {
          ...{ base, trainer, serve, schedule },
          epochs: wholeFrom(options.epochs, '--epochs', 1),
          batchSize: wholeFrom(options.batch, '--batch', 1),
          learningRate: rateFrom(options.learningRate),
          seed: wholeFrom(options.seed, '--seed', 0),
          lora: options.lora === undefined ? null : loraOf(wholeFrom(options.lora, '--lora', 1)),
          server: addressFrom(options.server, '--server'),
          serveUrl: addressFrom(options.serveUrl, '--serve-url'),
        };
        if (serve !== 'trainer' && choice.serveUrl === null)
          throw new UsageError(`--serve-url: expected the address of the ${serve} server, got none`);
        const policies = await withParts(context, (parts) => trainJudge(parts, name, { records, choice }, note));
        const report = policies.map(({ _id, version, weightsHash, model, baseUrl, result }) => {
          const { loss, tokens, seconds } = result;
          return { policy: `${name}@${version}`, id: _id, weightsHash, model, baseUrl, loss, tokens, seconds };
        });
        const last = `${name}@${policies.at(-1)!.version}`;
        answer(context, report, () => [
          ...policies.map(({ version, kind, result }) =>
            kind === 'start'
              ? `${name}@${version}  ${base}, before its training`
              : `${name}@${version}  loss ${score(result.loss, 3)} at its last step, ${result.tokens} tokens, ${score(result.seconds, 3)} s`,
          ),
          `measure it:  npx evolve check-judge ${last} --data ${options.data}`,
          `use it:      ideation: {judge: trained}, models: [{name: ${name}, policy: ${last}, roles: [judge]}] in a run's settings`,
        ]);
      }),
    );

const checkName = (name: string): void => {
  try {
    checkRunId(name);
  } catch (error) {
    throw error instanceof UsageError ? new UsageError(error.message.replace('--run', '<name>')) : error;
  }
};

const loraOf = (rank: number) => ({ rank, alpha: rank });

const rateFrom = (text: string): number => {
  const rate = Number(text);
  if (!(rate > 0 && rate <= 1))
    throw new UsageError(`--learning-rate: expected a number above 0 and up to 1, got ${text}`);
  return rate;
};

const addressFrom = (text: string | undefined, flag: string): string | null => {
  if (text === undefined) return null;
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new UsageError(`${flag}: expected an address such as http://127.0.0.1:8000/v1, got ${text}`);
  return tidyUrl(text);
};
