// Requirements of packages, as pip reads them, in files that anybody may have written.
import { packageName } from './task-world.ts';

/** A name with versions or with the address of a wheel. */
const NAMED =
  /^([A-Za-z0-9][\w.-]*)\s*(?:\[[\w\s.,-]*\])?\s*(?:@\s*https:\/\/[^\s?#$]+\.whl(?:[?#][^\s$]*)?\s*|[<>=!~(][\w\s.,*+!<>=~()-]*)?(?:;[\w\s.'"<>=!~()-]*)?$/;
const OPTION = /^--(?:(?:extra-)?index-url[= ]https:\/\/[^@\s$]+|pre|prefer-binary|require-hashes)$/;
/** pip ends lines there too, so a text with one would say more than it seems to. */
const OTHER_LINE_END = /[^\P{Cc}\t]|[\u2028\u2029]/u;

type Located = { readonly line: number; readonly text: string };

/** Lines that belong together, without comments and hashes. */
const joined = (text: string): readonly Located[] => {
  const found: Located[] = [];
  let begun: Located | null = null;
  for (const [index, whole] of text.split(/\r?\n/).entries()) {
    const bare = OTHER_LINE_END.test(whole) ? whole : whole.replace(/(^|\s)#.*$/, '');
    const line: Located = {
      line: begun?.line ?? index + 1,
      text: `${begun?.text ?? ''}${bare.replace(/\\$/, ' ')}`,
    };
    begun = bare.endsWith('\\') ? line : null;
    if (begun === null) found.push(line);
  }
  if (begun !== null) found.push(begun);
  return found
    .map(({ line, text: said }) => ({ line, text: said.replace(/\s--hash=\S+/g, '').trim() }))
    .filter(({ text: said }) => said !== '');
};

/** What is no requirement by name, version or wheel: nothing else reaches pip, which would run code of others for it. */
export const requirementProblems = (text: string): readonly { readonly line: number; readonly problem: string }[] =>
  joined(text).flatMap(({ line, text: said }) => {
    if (OTHER_LINE_END.test(said))
      return [{ line, problem: `expected text without control characters, got ${JSON.stringify(said.slice(0, 100))}` }];
    if ((NAMED.test(said) && !/\s-/.test(said)) || OPTION.test(said)) return [];
    const got = `got ${JSON.stringify(said.slice(0, 100))}`;
    if (/^(?:-r|-c|--requirement|--constraint)\b/.test(said))
      return [{ line, problem: `expected the lines of that file themselves, ${got}` }];
    if (/^-e\b|^--editable\b|\bgit\+|^[./]|file:/.test(said))
      return [
        {
          line,
          problem: `expected a package that a registry has as a wheel, ${got}, which would have to be built from source: put the code beside the task, or name an image that has it (image:)`,
        },
      ];
    return [{ line, problem: `expected a requirement such as pandas>=2, or --extra-index-url https://..., ${got}` }];
  });

/** The line of a requirement's package, for messages; null where none names it. */
export const lineOfPackage = (text: string, name: string): number | null =>
  joined(text).find(({ text: said }) => packageName(NAMED.exec(said)?.[1] ?? '') === packageName(name))?.line ?? null;
