// Records a workflow's history as a replay fixture: node test/workflows/record.ts <temporal address> <workflow id> <name> [run id]
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Client, Connection } from '@temporalio/client';
import { historyToJSON } from '@temporalio/common/lib/proto-utils.js';

const [address, workflowId, name, runId] = process.argv.slice(2);
if (!address || !workflowId || !name) throw new Error('usage: node test/workflows/record.ts <temporal address> <workflow id> <name> [run id]');
const connection = await Connection.connect({ address });
const history = await new Client({ connection }).workflow.getHandle(workflowId, runId).fetchHistory();
const file = fileURLToPath(new URL(`./histories/${name}.json`, import.meta.url));
writeFileSync(file, `${historyToJSON(history)}\n`);
console.log(`${history.events?.length ?? 0} events of ${workflowId} in ${file}`);
await connection.close();
