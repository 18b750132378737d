import { parseArgs } from 'node:util';
import { Pool as Connections } from 'undici';
import { createPool } from '../src/platform/db/connection.ts';
import { signTokenRequest } from '../src/identity/credentials/tokens/service.ts';
import { createNewId } from '../src/platform/new-id.ts';
import { makeProof, newProofKey, type ProofKey } from '../test/support/make/dpop-proofs.ts';
import { ensureBuilt } from '../test/support/service/ensure-built.ts';
import { type Ask, CONNECTIONS, type Cost, call, measureCalls } from './cost-of-calls.ts';
import { createTarget } from './fixture.ts';
import { wholeNumber } from './options.ts';
import { type Rig, startRig } from './rig.ts';
import { runMain } from './run-main.ts';
import type { Service } from './service.ts';
import { formatTable, showSpread, spreadOf } from './statistics.ts';

const WAYS = ['API key', 'token and proof', 'token request'] as const;
type Way = (typeof WAYS)[number];
/** Token requests cost several times a call, and each has its own address. */
const SHARE_OF_TOKENS = 5;
const ADDED_AT_MOST_MS = 1;

const USAGE = `npm run bench:tokens -- [options]
  --requests <n>   of each kind in a turn, default 3000; a fifth of that for tokens
  --turns <n>      default 6`;

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      requests: { type: 'string', default: '3000' },
      turns: { type: 'string', default: '6' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const requests = wholeNumber('--requests', values.requests);
  ensureBuilt(console.error);
  const rig = await startRig({ onProgress: console.error });
  const costs: Record<Way, Cost[]> = { 'API key': [], 'token and proof': [], 'token request': [] };
  try {
    const databaseUrl = await rig.createDatabase('tokens');
    const service = await rig.startService({ databaseUrl, variables: { TRUSTED_PROXY_HOPS: '1' } });
    const connections = new Connections(service.url, { connections: CONNECTIONS, pipelining: 1 });
    try {
      const prepare = await createCaller({ rig, service, connections, databaseUrl });
      // Once to be compiled by the engine.
      for (let turn = 0; turn <= wholeNumber('--turns', values.turns); turn += 1) {
        for (const way of WAYS) {
          const asked = await prepare(way, way === 'token request' ? Math.ceil(requests / SHARE_OF_TOKENS) : requests);
          const cost = await measureCalls(rig, service, connections, asked);
          if (turn > 0) costs[way].push(cost);
        }
      }
    } finally {
      await connections.close();
      await service.stop();
    }
  } finally {
    await rig.stop();
  }
  report(costs);
}

/** Makes the requests of a turn, so that making them is not measured. */
async function createCaller({
  rig,
  service,
  connections,
  databaseUrl,
}: {
  rig: Rig;
  service: Service;
  connections: Connections;
  databaseUrl: string;
}): Promise<(way: Way, count: number) => Promise<Ask[]>> {
  const pool = createPool(databaseUrl, { max: 1 });
  const { channelId } = await createTarget({ pool, keyRing: rig.keyRing, newId: createNewId(Date.now) }, []);
  await pool.end();
  const base = service.url.replace('127.0.0.1', 'localhost');
  const path = `/v1/channels/${channelId}`;
  const authorization = `Bearer ${service.key ?? ''}`;
  const json = { 'content-type': 'application/json' };
  const credential = await call<{ id: string; clientSecret: string }>(connections, {
    method: 'POST',
    path: '/v1/machine-credentials',
    headers: { authorization, ...json },
    body: '{"name":"Benchmark"}',
  });
  const key: ProofKey = await newProofKey();
  let address = 0;
  const tokenRequest = async (): Promise<Ask> => {
    const proof = await makeProof(key, { method: 'POST', uri: `${base}/oauth/token` });
    const { id, clientSecret } = credential;
    const secret = signTokenRequest(clientSecret, id, proof);
    address += 1;
    return {
      method: 'POST',
      path: '/oauth/token',
      headers: {
        ...json,
        dpop: proof,
        'x-forwarded-for': `10.${address >> 16}.${(address >> 8) & 255}.${address & 255}`,
      },
      body: JSON.stringify({ grant_type: 'client_credentials', client_id: id, client_secret: secret }),
    };
  };
  const { access_token: token } = await call<{ access_token: string }>(connections, await tokenRequest());
  const proven = async (): Promise<Ask> => {
    const proof = await makeProof(key, { method: 'GET', uri: base + path, token });
    return { method: 'GET', path, headers: { authorization: `DPoP ${token}`, dpop: proof } };
  };
  const plain = (): Promise<Ask> => Promise.resolve({ method: 'GET', path, headers: { authorization } });
  const makers = { 'API key': plain, 'token and proof': proven, 'token request': tokenRequest };
  return (way, count) => Promise.all(Array.from({ length: count }, makers[way]));
}

function report(costs: Record<Way, Cost[]>): void {
  const plain = costs['API key'];
  const inAll = ({ serviceMs, postgresMs }: Cost): number => serviceMs + postgresMs;
  const rows = WAYS.map((way) => {
    const added = costs[way].map((cost, turn) => inAll(cost) - inAll(plain[turn] ?? cost));
    const columns = [
      costs[way].map(({ serviceMs }) => serviceMs),
      costs[way].map(({ postgresMs }) => postgresMs),
      costs[way].map(({ perSecond }) => perSecond),
    ];
    const target = way === 'token and proof' ? `≤ ${ADDED_AT_MOST_MS}` : '';
    const verdict = target === '' ? '' : spreadOf(added).median <= ADDED_AT_MOST_MS ? 'reached' : 'MISSED';
    return [way, ...[...columns, added].map((values) => showSpread(spreadOf(values))), target, verdict];
  });
  const head = ['request', 'service CPU ms', 'PostgreSQL CPU ms', 'requests/s', 'CPU ms more than a key', 'target', ''];
  console.log(formatTable(head, rows, 1));
}

await runMain(main);
