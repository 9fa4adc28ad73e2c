// What is wrong with a server of the user's own that is there and cannot be used, and what to do about it. Runs are
// left as they are: their phases wait, and go on when the server is well again.
import type { MongoClient } from 'mongodb';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect } from 'node:tls';

const CERTIFICATE = /certificate|self[- ]signed|altname|UnknownIssuer|UNABLE_TO_VERIFY|CERT_|ERR_TLS/i;
const PLAIN = /wrong version number|packet length too long|EPROTO|ssl3_get_record/i;

const TLS_SETTINGS = {
  temporal: {
    trust: 'name the certificate of its authority (TEMPORAL_TLS_SERVER_CA_CERT_PATH, or tls in the profile)',
    name: 'the name that the certificate has (TEMPORAL_TLS_SERVER_NAME)',
    off: 'leave TLS out of the profile and of TEMPORAL_TLS',
  },
  database: {
    trust: 'name the certificate of its authority (tlsCAFile=<file> in MONGODB_URI)',
    name: 'the host name that the certificate has',
    off: 'leave tls=true out of MONGODB_URI',
  },
} as const;

/** Null where the failure is not about certificates. */
export const certificateAdvice = (error: unknown, server: keyof typeof TLS_SETTINGS): string | null => {
  const text = (error as Error).message;
  const { trust, name, off } = TLS_SETTINGS[server];
  if (CERTIFICATE.test(text)) return `its certificate is not accepted: ${trust}, or use ${name}`;
  if (PLAIN.test(text)) return `it does not speak TLS there: ${off}, or use its TLS port`;
  return null;
};

export const databaseAdvice = (error: unknown): string => {
  const certificate = certificateAdvice(error, 'database');
  if (certificate !== null) return certificate;
  const topology = (error as { readonly reason?: { readonly type?: string; readonly setName?: string | null } }).reason;
  return topology?.type === 'ReplicaSetNoPrimary'
    ? `the replica set ${topology.setName ?? ''} has no primary that answers: start the members that are down (rs.status() names them); runs wait until it has elected one`
    : 'start it, correct MONGODB_URI, or unset it to use a local one';
};

type Tls = {
  readonly serverNameOverride?: string;
  readonly serverRootCACertificate?: Uint8Array;
  readonly clientCertPair?: { readonly crt: Uint8Array; readonly key: Uint8Array };
};

/**
 * What a handshake of TLS with the server fails with. Null where it succeeds, or where nobody answers. The client of
 * the workflow engine says of a certificate that it refuses only that it could not connect.
 */
export const handshakeError = async (address: string, tls: Tls | boolean, timeoutMs: number): Promise<Error | null> => {
  const [, host = 'localhost', port = '7233'] = /^(.*):(\d+)$/.exec(address) ?? [undefined, address];
  const { serverNameOverride, serverRootCACertificate: ca, clientCertPair: pair } = typeof tls === 'boolean' ? {} : tls;
  const named = serverNameOverride ?? host;
  const socket = connect({
    host,
    port: Number(port),
    ALPNProtocols: ['h2'],
    ...(isIP(named) === 0 ? { servername: named } : {}),
    ...(ca ? { ca: Buffer.from(ca) } : {}),
    ...(pair ? { cert: Buffer.from(pair.crt), key: Buffer.from(pair.key) } : {}),
  });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(timeoutMs) });
    return null;
  } catch (error) {
    return error instanceof Error && error.name !== 'AbortError' ? error : null;
  } finally {
    socket.destroy();
  }
};

type Status = {
  readonly authInfo?: {
    readonly authenticatedUsers?: readonly { readonly user: string }[];
    readonly authenticatedUserPrivileges?: readonly { readonly actions?: readonly string[] }[];
  };
};

/** Why nothing can be written, and what to do. Null where nothing speaks against it. */
export const whyReadOnly = async (client: MongoClient): Promise<string | null> => {
  const admin = client.db('admin');
  const hello = await admin.command({ hello: 1 });
  if (hello['isWritablePrimary'] === false || hello['readOnly'] === true)
    return hello['setName'] === undefined
      ? 'takes no writes: it is read-only; runs wait until it is writable again, or name a writable one in MONGODB_URI'
      : `takes no writes: it is a member of the replica set ${String(hello['setName'])} and not its primary; name the set in MONGODB_URI (replicaSet=${String(hello['setName'])}), so that the primary is found`;
  // A server that does not know the command has no roles that could forbid anything.
  const status: Status = await admin.command({ connectionStatus: 1, showPrivileges: true }).catch(() => ({}));
  const [user] = status.authInfo?.authenticatedUsers ?? [];
  const privileges = status.authInfo?.authenticatedUserPrivileges ?? [];
  return user !== undefined &&
    privileges.length > 0 &&
    privileges.every(({ actions = [] }) => !actions.includes('insert'))
    ? `takes no writes of user ${user.user}: it may only read; give it the role readWrite on the database durable_evolve, or name another user in MONGODB_URI`
    : null;
};
