// The search attributes of runs in a namespace of the workflow engine: which there must be, and whether they are there.
import type { Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { ATTRIBUTES } from '../../workflows/engine/attributes.ts';
import { isForbidden } from '../connect/errors.ts';

const { IndexedValueType } = proto.temporal.api.enums.v1;
const TYPES = {
  KEYWORD: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  INT: IndexedValueType.INDEXED_VALUE_TYPE_INT,
  DOUBLE: IndexedValueType.INDEXED_VALUE_TYPE_DOUBLE,
  BOOL: IndexedValueType.INDEXED_VALUE_TYPE_BOOL,
  DATETIME: IndexedValueType.INDEXED_VALUE_TYPE_DATETIME,
} as const;

/** Name and type of each attribute that runs and steps have. */
export const wantedAttributes = Object.values(ATTRIBUTES).map(
  ({ name, type }) => [name, TYPES[type as keyof typeof TYPES]] as const,
);

/** The command by which an administrator makes them, for servers that let no worker do it, such as Temporal Cloud. */
const byHand = (missing: readonly (typeof wantedAttributes)[number][], namespace: string): string => {
  const typeOf = (value: number): string => {
    const [type = ''] = Object.entries(TYPES).find(([, one]) => one === value) ?? [];
    return type === 'DATETIME' ? 'Datetime' : type.charAt(0) + type.slice(1).toLowerCase();
  };
  const named = missing.map(([name, type]) => `--name ${name} --type ${typeOf(type)}`).join(' ');
  return `temporal operator search-attribute create --namespace ${namespace} ${named} (in Temporal Cloud: the settings of the namespace, or tcld namespace search-attributes add)`;
};

/** Throws an error that says how they are made, where the server does not let this process make them. */
export const addAttributes = async (
  { operatorService }: Pick<Connection, 'operatorService'>,
  namespace: string,
  missing: readonly (typeof wantedAttributes)[number][],
): Promise<void> => {
  try {
    await operatorService.addSearchAttributes({ namespace, searchAttributes: Object.fromEntries(missing) });
  } catch (error) {
    if (!isForbidden(error)) throw error;
    throw new Error(
      `namespace ${namespace} lacks search attributes, and the server does not let this worker make them (${(error as Error).message}): ${byHand(missing, namespace)}`,
    );
  }
};

/** By name, the types that the namespace has. */
export const listedAttributes = async (
  connection: Pick<Connection, 'operatorService'>,
  namespace: string,
): Promise<{ readonly [name: string]: number | null | undefined }> =>
  (await connection.operatorService.listSearchAttributes({ namespace })).customAttributes ?? {};

/** The fault of the namespace's attributes with its fix; null where all are there. */
export const attributeProblem = async (
  connection: Pick<Connection, 'operatorService'>,
  namespace: string,
): Promise<{ readonly detail: string; readonly fix: string } | null> => {
  const listed = await listedAttributes(connection, namespace);
  const wrong = wantedAttributes.filter(([name, type]) => listed[name] !== undefined && listed[name] !== type);
  const names = (of: typeof wrong): string => of.map(([name]) => name).join(', ');
  if (wrong.length > 0)
    return {
      detail: `namespace ${namespace} has search attributes of another type than expected: ${names(wrong)}`,
      fix: `temporal operator search-attribute remove --name ${wrong[0]![0]}, or another namespace; workers make it anew when they start`,
    };
  const missing = wantedAttributes.filter(([name]) => listed[name] === undefined);
  return missing.length === 0
    ? null
    : {
        detail: `namespace ${namespace} lacks search attributes: ${names(missing)}`,
        fix: `npx evolve down, then npx evolve up: workers add them when they start. Where they may not: ${byHand(missing, namespace)}`,
      };
};
