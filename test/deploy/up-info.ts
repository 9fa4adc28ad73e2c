// An up.json for tests: nothing of it runs unless a test says so.
import { self } from '../../deploy/host/process-identity.ts';
import type { UpInfo } from '../../deploy/supervisor/plan.ts';

export const upInfo = (root: string, changes: Partial<UpInfo> = {}): UpInfo => ({
  home: root,
  startedAt: '2026-01-01T00:00:00.000Z',
  supervisor: { ...self(), revision: 'r' },
  plan: 'p',
  processes: [],
  temporal: { address: '127.0.0.1:1', namespace: 'default', ui: null, external: false },
  database: { uri: 'mongodb://127.0.0.1:2/', kind: 'secantusdb', version: '1', external: false },
  docker: { host: null, kind: 'none', level: 'docker' },
  image: { id: null },
  ...changes,
});
