// The address of a database gives the driver majority writes to a replica set, and TLS.
import { MongoClient } from 'mongodb';
import { expect, it } from 'vitest';
import { majorityOf } from '../../../../activities/store/mongo/connect-store.ts';

const optionsOf = (uri: string) => new MongoClient(uri, majorityOf(uri)).options;

it.each([
  ['mongodb://a,b,c/?replicaSet=rs0', 'majority'],
  ['mongodb://u:p@a:27017/x?tls=true&replicaset=rs0', 'majority'],
  ['mongodb://a/?replicaSet=rs0&w=1', 1],
  ['mongodb://u:p%2C@a:1,b:2/x', 'majority'],
  ['mongodb+srv://u:p@db.example/evolve', 'majority'],
  ['mongodb+srv://db.example/evolve?w=1', 1],
  ['mongodb://u:p,q@a/x', undefined],
  ['mongodb://a/?replicaSet=rs0&w=majority', 'majority'],
  ['mongodb://a/?directConnection=true', undefined],
  ['mongodb://a', undefined],
])('writes to %s wait for %s', (uri, w) => {
  expect(optionsOf(uri).writeConcern?.w).toBe(w);
});

it('an address with TLS names its certificates', () => {
  const { tls, tlsCAFile, tlsCertificateKeyFile, rejectUnauthorized } = optionsOf(
    'mongodb://a/?replicaSet=rs0&tls=true&tlsCAFile=/ca.pem&tlsCertificateKeyFile=/client.pem',
  );
  expect({ tls, tlsCAFile, tlsCertificateKeyFile, rejectUnauthorized }).toEqual({
    tls: true,
    tlsCAFile: '/ca.pem',
    tlsCertificateKeyFile: '/client.pem',
    rejectUnauthorized: undefined,
  });
});
