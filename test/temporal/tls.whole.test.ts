import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Config, readConfig } from '../../src/platform/config/config.ts';
import { createLog } from '../../src/platform/log.ts';
import { installRuntime } from '../../src/platform/temporal/connection.ts';
import { untilTemporalAnswers } from '../../src/platform/temporal/trouble.ts';
import { createChannel, createSubscription, publish, waitForDelivery } from '../support/make/factories.ts';
import { waitFor } from '../support/check/wait-for.ts';
import { startPosthorn } from '../support/service/posthorn.ts';
import { currentRun } from '../support/service/run.ts';
import { makeCertificate } from '../support/world/certificate.ts';
import { startReceiver } from '../support/world/receiver.ts';
import { startTemporalProxy, type TemporalProxy } from '../support/world/temporal-proxy.ts';

const API_KEY = 'key-of-the-namespace';
const UNAUTHENTICATED = 16;
const folder = mkdtempSync(join(tmpdir(), 'posthorn-temporal-tls-'));
const target = currentRun().temporalAddress;

const authority = makeCertificate(['authority of the server']);
const clientAuthority = makeCertificate(['authority of the clients']);
// The name of a cluster, which is not the address at which it is reached.
const server = makeCertificate(['temporal.example'], { issuer: authority });
const client = makeCertificate(['worker'], { issuer: clientAuthority });
const stranger = makeCertificate(['worker'], { issuer: makeCertificate(['nobody']) });

const file = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
const FILES = {
  TEMPORAL_TLS_CA_FILE: file('ca.pem', authority.cert),
  TEMPORAL_TLS_CERT_FILE: file('client.pem', client.cert),
  TEMPORAL_TLS_KEY_FILE: file('client-key.pem', client.key),
  TEMPORAL_TLS_SERVER_NAME: 'temporal.example',
};
const OF_A_STRANGER = {
  TEMPORAL_TLS_CERT_FILE: file('stranger.pem', stranger.cert),
  TEMPORAL_TLS_KEY_FILE: file('stranger-key.pem', stranger.key),
};

let mutual: TemporalProxy;
let byKey: TemporalProxy;
beforeAll(async () => {
  installRuntime(createLog('silent'));
  mutual = await startTemporalProxy({ target, tls: { certificate: server, clientAuthority } });
  byKey = await startTemporalProxy({
    target,
    tls: { certificate: server },
    refuse: (_, { authorization }) =>
      authorization === `Bearer ${API_KEY}` ? undefined : { status: UNAUTHENTICATED, message: 'no such key' },
  });
});
afterAll(async () => {
  await mutual?.stop();
  await byKey?.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The settings as a role reads them. */
const settingsOf = (address: string, variables: Record<string, string>): Config['temporal'] & { address: string } => ({
  ...readConfig({ TEMPORAL_ADDRESS: address, ...variables }).temporal,
  address,
});

/** The sentence with which a role ends at its start; `it answers` where it goes on. */
async function atTheStart(address: string, variables: Record<string, string>): Promise<string> {
  const toldToWait = new AbortController();
  const tell = (sentence: string): void => toldToWait.abort(new Error(`it waits: ${sentence}`));
  return untilTemporalAnswers(settingsOf(address, variables), { tell, signal: toldToWait.signal }).then(
    () => 'it answers',
    (failure: Error) => failure.message,
  );
}

const without = (...names: (keyof typeof FILES)[]): Record<string, string> =>
  Object.fromEntries(Object.entries(FILES).filter(([name]) => !names.some((left) => left === name)));

test('a message is delivered through a Temporal that requires client certificates', async () => {
  const posthorn = await startPosthorn({ variables: { ...FILES, TEMPORAL_ADDRESS: mutual.address } });
  const receiver = await startReceiver();
  const { id: channelId } = await createChannel(posthorn);
  await createSubscription(posthorn, { channelId, webhookUrl: receiver.url });
  const message = await publish(posthorn, channelId);
  await waitForDelivery(posthorn, message.id, 'delivered');
  expect(receiver.requests).toHaveLength(1);
  await receiver.close();
  await posthorn.stop();
});

describe('a server that requires client certificates', () => {
  test('is reached with all four settings', async () => {
    expect(await atTheStart(mutual.address, FILES)).toBe('it answers');
  });

  // The server's word about it may be lost when the connection closes first, and some servers say none: then the role waits.
  test.each([
    ['no certificate', without('TEMPORAL_TLS_CERT_FILE', 'TEMPORAL_TLS_KEY_FILE')],
    ['a certificate of another authority', { ...FILES, ...OF_A_STRANGER }],
  ])('refuses a command that has %s, which names the setting to change', async (_, variables) => {
    // A role that waits looks again, and so does this: a look that got no word at all says nothing.
    const sentence = await waitFor('the server’s word', async () => {
      const said = (await atTheStart(mutual.address, variables)).replace('it waits: ', '');
      return !said.includes('does not respond') && said;
    });
    expect(sentence).toMatch(
      /^TEMPORAL_TLS_CERT_FILE: 127\.0\.0\.1:\d+ (requires a client certificate that it knows; set it and TEMPORAL_TLS_KEY_FILE|closes the connection; )[^\n]*$/,
    );
  });

  test.each([
    ['the wrong authority', { ...FILES, TEMPORAL_TLS_CA_FILE: file('other.pem', clientAuthority.cert) }],
    ['the system’s authorities', without('TEMPORAL_TLS_CA_FILE')],
  ])('makes a command exit that trusts %s, with the setting to change', async (_, variables) => {
    expect(await atTheStart(mutual.address, variables)).toBe(
      `TEMPORAL_TLS_CA_FILE: ${mutual.address} has a certificate that is not trusted here; set it to the file of the authority that signed it`,
    );
  });

  test.each([
    ['the address as its name', without('TEMPORAL_TLS_SERVER_NAME'), '127.0.0.1'],
    ['another name', { ...FILES, TEMPORAL_TLS_SERVER_NAME: 'temporal.test' }, 'temporal.test'],
  ])('makes a command exit that expects %s, with the setting to change', async (_, variables, name) => {
    expect(await atTheStart(mutual.address, variables)).toBe(
      `TEMPORAL_TLS_SERVER_NAME: ${mutual.address} has a certificate for temporal.example, not for ${name}; set it to a name in that certificate`,
    );
  });

  test('makes a command wait that does not use TLS, which names the setting to change', async () => {
    expect(await atTheStart(mutual.address, {})).toContain('set TEMPORAL_TLS to true if the server requires TLS');
  });
});

describe('a server that requires an API key', () => {
  const trusted = without('TEMPORAL_TLS_CERT_FILE', 'TEMPORAL_TLS_KEY_FILE');

  test('is reached with it, also from a file', async () => {
    expect(await atTheStart(byKey.address, { ...trusted, TEMPORAL_API_KEY: API_KEY })).toBe('it answers');
    const TEMPORAL_API_KEY_FILE = file('api-key', `${API_KEY}\n`);
    expect(await atTheStart(byKey.address, { ...trusted, TEMPORAL_API_KEY_FILE })).toBe('it answers');
  });

  test('makes a command exit that has none, or another one, with the setting to change', async () => {
    expect(await atTheStart(byKey.address, trusted)).toBe(
      `TEMPORAL_API_KEY: ${byKey.address} does not allow access to the namespace default without credentials; set it, or TEMPORAL_TLS_CERT_FILE and TEMPORAL_TLS_KEY_FILE`,
    );
    expect(await atTheStart(byKey.address, { ...trusted, TEMPORAL_API_KEY: 'another' })).toBe(
      `TEMPORAL_API_KEY: ${byKey.address} does not allow this key access to the namespace default; correct it, or TEMPORAL_NAMESPACE`,
    );
  });
});
