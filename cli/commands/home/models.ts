// evolve models: the list of prices that new runs take theirs from, where none is set (docs/models.md).
import { mkdirSync } from 'node:fs';
import { takePriceFile, usePriceFile } from '../../../activities/llm/price-file.ts';
import { PRICES, type PriceData } from '../../../evolution/budget/prices.ts';
import { act, type Build, describe } from '../../flags/command.ts';
import { answer, note } from '../../terminal/output.ts';

const factsOf = ({ source, asOf, providers }: PriceData) => ({
  source,
  asOf,
  providers: Object.fromEntries(
    Object.entries(providers).map(([name, { models }]) => [name, Object.keys(models).length]),
  ),
});

const factLines = (data: PriceData): readonly string[] => {
  const { source, asOf, providers } = factsOf(data);
  const each = Object.entries(providers).map(([name, models]) => `${name} ${models}`);
  return [`prices of ${source}, ${asOf}; models by provider: ${each.join(', ')}`];
};

export const build: Build = (command) =>
  command
    .action(
      act(async (context) => {
        const broken = usePriceFile(context.home.root);
        if (broken !== null) note(broken);
        answer(context, factsOf(PRICES.newest), () => factLines(PRICES.newest));
      }),
    )
    .addCommand(
      describe('update', 'take the prices of a file in the form of https://models.dev/api.json')
        .argument('<file>', 'such a file; runs that exist keep their prices')
        .action(
          act(async (context, _, file: string) => {
            mkdirSync(context.home.root, { recursive: true });
            const data = takePriceFile(context.home.root, file);
            answer(context, factsOf(data), () => factLines(data));
          }),
        ),
    );
