// Workers register the search attributes before they begin, on a server that knows none or only those of an earlier
// version.
import { Connection } from '@temporalio/client';
import proto from '@temporalio/proto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { attributeProblem } from '../../../client/temporal/search-attributes.ts';
import { registerSearchAttributes } from '../../../workers/process/connect.ts';
import { ATTRIBUTES } from '../../../workflows/engine/attributes.ts';
import { startTemporal, type TemporalServer } from '../../support/engine/temporal-server.ts';

const { IndexedValueType: TYPE } = proto.temporal.api.enums.v1;
let server: TemporalServer;
let connection: Connection;

beforeAll(async () => {
  server = await startTemporal();
  connection = await Connection.connect({ address: server.address });
});
afterAll(async () => {
  await connection?.close();
  await server?.stop();
});

const listed = async (): Promise<{ readonly [name: string]: number | null | undefined }> =>
  (await connection.operatorService.listSearchAttributes({ namespace: 'default' })).customAttributes ?? {};

it('registers what is missing, and refuses to start beside an attribute of another type', async () => {
  await connection.operatorService.addSearchAttributes({
    namespace: 'default',
    searchAttributes: { EvoRunId: TYPE.INDEXED_VALUE_TYPE_KEYWORD },
  });
  expect(await attributeProblem(connection, 'default')).toMatchObject({
    detail: expect.stringMatching(/lacks .*EvoSeed/),
  });
  await registerSearchAttributes(connection, 'default');
  expect(await attributeProblem(connection, 'default')).toBeNull();
  expect(await listed()).toMatchObject({
    EvoRunId: TYPE.INDEXED_VALUE_TYPE_KEYWORD,
    EvoModel: TYPE.INDEXED_VALUE_TYPE_KEYWORD,
    EvoPolicy: TYPE.INDEXED_VALUE_TYPE_KEYWORD,
    EvoSeed: TYPE.INDEXED_VALUE_TYPE_INT,
    EvoStrictScore: TYPE.INDEXED_VALUE_TYPE_DOUBLE,
    EvoLastCommit: TYPE.INDEXED_VALUE_TYPE_DATETIME,
    EvoLastImprovement: TYPE.INDEXED_VALUE_TYPE_DATETIME,
    EvoNeedsAttention: TYPE.INDEXED_VALUE_TYPE_BOOL,
  });
  expect(Object.keys(await listed())).toHaveLength(Object.keys(ATTRIBUTES).length);
  await registerSearchAttributes(connection, 'default');

  await connection.operatorService.removeSearchAttributes({ namespace: 'default', searchAttributes: ['EvoSeed'] });
  await connection.operatorService.addSearchAttributes({
    namespace: 'default',
    searchAttributes: { EvoSeed: TYPE.INDEXED_VALUE_TYPE_TEXT },
  });
  expect(await attributeProblem(connection, 'default')).toMatchObject({
    detail: expect.stringMatching(/another type than expected: EvoSeed$/),
    fix: expect.stringContaining('remove --name EvoSeed'),
  });
  await expect(registerSearchAttributes(connection, 'default')).rejects.toThrow(
    /^search attribute EvoSeed: expected type 3 .*, got 1: remove it/,
  );
});

it('where the server lets only an administrator register them, the line is the command that does', async () => {
  const refused = Object.assign(new Error('7 PERMISSION_DENIED: Request unauthorized.'), { code: 7 });
  const operatorService = {
    listSearchAttributes: async () => ({ customAttributes: { EvoRunId: TYPE.INDEXED_VALUE_TYPE_KEYWORD } }),
    addSearchAttributes: async () => Promise.reject(refused),
  };
  await expect(registerSearchAttributes({ operatorService } as never, 'lab')).rejects.toThrow(
    /^namespace lab lacks search attributes, .*unauthorized.*: temporal operator search-attribute create --namespace lab --name EvoSweepId --type Keyword .*--name EvoLastCommit --type Datetime .*tcld/,
  );
});

it('are so few of each type that stores in SQL have room for them', () => {
  const most = { KEYWORD: 10, INT: 3, DOUBLE: 3, BOOL: 3, DATETIME: 3 };
  for (const [type, room] of Object.entries(most))
    expect(Object.values(ATTRIBUTES).filter((one) => one.type === type).length, type).toBeLessThanOrEqual(room);
});
