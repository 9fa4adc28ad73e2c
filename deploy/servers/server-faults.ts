// The faults of a user's own server that is there and cannot be used, and their remedies. Runs are
// left as they are: their phases wait, and go on when the server is well again.
import type { MongoClient } from 'mongodb';
import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { speaksTls } from './speaks-tls.ts';

const CERTIFICATE = /certificate|self[- ]signed|altname|UnknownIssuer|UNABLE_TO_VERIFY|CERT_|ERR_TLS/i;
/** With TLS 1.3 the server refuses the client only after the client's side of the handshake is done. */
const CLIENT =
  /alert (?:certificate required|bad certificate|unknown ca|handshake failure)|CERTIFICATE_REQUIRED|alert number (?:116|42|48)/i;

const TLS_SETTINGS = {
  temporal: {
    trust: 'name the certificate of its authority (TEMPORAL_TLS_SERVER_CA_CERT_PATH, or tls in the profile)',
    name: 'the name that the certificate has (TEMPORAL_TLS_SERVER_NAME)',
    client:
      'name one that the server accepts (TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH, or tls in the profile)',
    on: 'set TEMPORAL_TLS=true, or tls in the profile',
    off: 'leave TLS out of the profile and of TEMPORAL_TLS',
  },
  database: {
    trust: 'name the certificate of its authority (tlsCAFile=<file> in MONGODB_URI)',
    name: 'the host name that the certificate has',
    client: 'name one that the server accepts (tlsCertificateKeyFile=<file> in MONGODB_URI)',
    on: 'add tls=true to MONGODB_URI',
    off: 'leave tls=true out of MONGODB_URI',
  },
} as const;

/** Null where the failure is not about certificates. */
export const certificateAdvice = (error: unknown, server: keyof typeof TLS_SETTINGS): string | null => {
  const text = (error as Error).message;
  const { trust, name, client } = TLS_SETTINGS[server];
  if (CLIENT.test(text)) return `it does not accept the certificate of this client, or wants one: ${client}`;
  if (CERTIFICATE.test(text)) return `its certificate is not accepted: ${trust}, or use ${name}`;
  return null;
};

/** Null where the port speaks TLS if and only if it is asked by TLS, and where nobody answers. */
export const wrongTlsAdvice = async (
  { host, port, tls }: { readonly host: string; readonly port: number; readonly tls: boolean },
  server: keyof typeof TLS_SETTINGS,
): Promise<string | null> => {
  const speaks = await speaksTls(host, port);
  if (speaks === null || speaks === tls) return null;
  const { on, off } = TLS_SETTINGS[server];
  return speaks
    ? `it speaks TLS there: ${on}, or use its port without TLS`
    : `it does not speak TLS there: ${off}, or use its TLS port`;
};

const UNAUTHENTICATED = 16;
const PERMISSION_DENIED = 7;

/** The status that the server refused with, or null where the failure is another one. */
const refusedWith = (error: unknown): number | null => {
  for (let one = error; one instanceof Error; one = one.cause) {
    const { code } = one as { readonly code?: unknown };
    if (code === UNAUTHENTICATED || code === PERMISSION_DENIED) return code;
  }
  return null;
};

/** Null where the failure is not about who asks. */
export const keyAdvice = (error: unknown): string | null => {
  switch (refusedWith(error)) {
    case UNAUTHENTICATED:
      return 'it does not accept the API key: set TEMPORAL_API_KEY (or api_key of the profile) to one that is valid, then run `npx evolve up` again; runs wait meanwhile';
    case PERMISSION_DENIED:
      return 'the API key or certificate has no right to this namespace: give it the right, or name another one (TEMPORAL_API_KEY, TEMPORAL_NAMESPACE, or the profile); runs wait meanwhile';
    default:
      return null;
  }
};

/** In which database of the server everything is stored, whatever MONGODB_URI names behind the host. */
const DATABASE = 'durable_evolve';

/** The codes of MongoDB for a wrong user or password, and for a command that needs a user. */
const AUTHENTICATION_FAILED = 18;
const UNAUTHORIZED = 13;
const codeOf = (error: unknown): unknown => (error as { readonly code?: unknown }).code;

/** `otherwise`: what to do besides starting a server that does not answer. */
export const databaseAdvice = (error: unknown, otherwise: string): string => {
  const certificate = certificateAdvice(error, 'database');
  if (certificate !== null) return certificate;
  if (codeOf(error) === AUTHENTICATION_FAILED)
    return 'it does not accept this user and password: correct them in MONGODB_URI (authSource=<database> says where the user is kept), then run `npx evolve up` again; runs wait meanwhile';
  const topology = (error as { readonly reason?: { readonly type?: string; readonly setName?: string | null } }).reason;
  return topology?.type === 'ReplicaSetNoPrimary'
    ? `the replica set ${topology.setName ?? ''} has no primary that answers: start the members that are down (rs.status() names them); runs wait until it has elected one`
    : `start it, ${otherwise}`;
};

/** Of an address of a Temporal server. IPv6 stands in brackets there. */
export const hostAndPort = (address: string): { readonly host: string; readonly port: number } => {
  const [, host = address, port = '7233'] = /^(.*):(\d+)$/.exec(address) ?? [];
  return { host: host.replace(/^\[(.*)\]$/, '$1') || 'localhost', port: Number(port) };
};

type Tls = {
  readonly serverNameOverride?: string;
  readonly serverRootCACertificate?: Uint8Array;
  readonly clientCertPair?: { readonly crt: Uint8Array; readonly key: Uint8Array };
};

/**
 * The error of a TLS handshake with the server. Null where it succeeds, or where nobody answers. The client of
 * the workflow engine says of a certificate that it refuses only that it could not connect.
 */
export const handshakeError = async (address: string, tls: Tls | boolean, timeoutMs: number): Promise<Error | null> => {
  const { host, port } = hostAndPort(address);
  const { serverNameOverride, serverRootCACertificate: ca, clientCertPair: pair } = typeof tls === 'boolean' ? {} : tls;
  const named = serverNameOverride ?? host;
  const socket = connect({
    host,
    port,
    ALPNProtocols: ['h2'],
    ...(isIP(named) === 0 ? { servername: named } : {}),
    ...(ca ? { ca: Buffer.from(ca) } : {}),
    ...(pair ? { cert: Buffer.from(pair.crt), key: Buffer.from(pair.key) } : {}),
  });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(timeoutMs) });
    return await refusedAfterwards(socket, timeoutMs);
  } catch (error) {
    return error instanceof Error && error.name !== 'AbortError' ? error : null;
  } finally {
    socket.destroy();
  }
};

/** The server's first words are settings of HTTP/2, or that it refuses this client's certificate. */
const refusedAfterwards = (socket: TLSSocket, timeoutMs: number): Promise<Error | null> =>
  new Promise((resolve) => {
    const timer = setTimeout(() => resolve(null), timeoutMs);
    const done = (error: Error | null): void => {
      clearTimeout(timer);
      resolve(error);
    };
    socket.once('data', () => done(null)).once('error', done);
    socket.once('close', () => done(null));
    socket.write(HTTP2_PREFACE);
  });

/** The preface of HTTP/2 without settings. */
const HTTP2_PREFACE = Buffer.concat([
  Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'),
  Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]),
]);

type Privilege = { readonly resource?: { readonly db?: string }; readonly actions?: readonly string[] };
type Status = {
  readonly authInfo?: {
    readonly authenticatedUsers?: readonly { readonly user: string }[];
    readonly authenticatedUserPrivileges?: readonly Privilege[];
  };
};

/** A privilege whose resource has an empty name of a database, or none, is one on all of them. */
const isOnOurs = ({ resource }: Privilege): boolean => !resource?.db || resource.db === DATABASE;
const mayInsert = ({ actions = [] }: Privilege): boolean => actions.includes('insert');

/** The reason why nothing can be written, with the remedy. Null where nothing speaks against it. */
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
  if (user === undefined) return whyClosed(client);
  if (privileges.length === 0 || privileges.some((one) => isOnOurs(one) && mayInsert(one))) return null;
  const why = privileges.some(mayInsert) ? ` in ${DATABASE}: its rights are on other databases` : ': it may only read';
  return `takes no writes of user ${user.user}${why}; give it the role readWrite on the database ${DATABASE}, or name another user in MONGODB_URI`;
};

/** A server that wants a user greets everybody, and refuses only what is asked of its content. */
const whyClosed = async (client: MongoClient): Promise<string | null> => {
  try {
    await client.db(DATABASE).command({ find: 'runs', limit: 1, singleBatch: true, projection: { _id: 1 } });
  } catch (error) {
    if (codeOf(error) === UNAUTHORIZED)
      return `asks for a user and password: name one in MONGODB_URI that has the role readWrite on the database ${DATABASE}; runs wait meanwhile`;
  }
  return null;
};
