// Registers the search attributes of runs and steps, and refuses to start beside ones of another type: an unregistered or
// mistyped attribute would fail every workflow task for ever.
import proto from '@temporalio/proto';
import type { Connection } from '@temporalio/client';
import { ATTRIBUTES } from '../workflows/attributes.ts';

const { IndexedValueType } = proto.temporal.api.enums.v1;
const TYPES = {
  KEYWORD: IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
  INT: IndexedValueType.INDEXED_VALUE_TYPE_INT,
  DOUBLE: IndexedValueType.INDEXED_VALUE_TYPE_DOUBLE,
  BOOL: IndexedValueType.INDEXED_VALUE_TYPE_BOOL,
} as const;

export const registerSearchAttributes = async (connection: Connection, namespace: string): Promise<void> => {
  const wanted = Object.values(ATTRIBUTES).map(({ name, type }) => [name, TYPES[type as keyof typeof TYPES]] as const);
  const listed = async () => (await connection.operatorService.listSearchAttributes({ namespace })).customAttributes ?? {};
  const present = await listed();
  const missing = wanted.filter(([name]) => present[name] === undefined);
  if (missing.length > 0) await connection.operatorService.addSearchAttributes({ namespace, searchAttributes: Object.fromEntries(missing) });
  for (let attempt = 0; ; attempt += 1) {
    const now = await listed();
    const wrong = wanted.filter(([name, type]) => now[name] !== undefined && now[name] !== type);
    if (wrong.length > 0) throw new Error(`search attribute ${wrong[0]![0]} exists with another type in namespace ${namespace}: remove it (temporal operator search-attribute remove) or use another namespace`);
    if (wanted.every(([name]) => now[name] !== undefined)) return;
    if (attempt > 50) throw new Error('search attributes were registered but do not appear on the server');
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
};
