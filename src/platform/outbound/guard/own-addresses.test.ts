import { networkInterfaces } from 'node:os';
import { describe, expect, test } from '@jest/globals';
import { createAddressGuard } from './address-guard.ts';
import { createOwnAddresses, type OwnEndpoint } from './own-addresses.ts';

/** Everything except own addresses is allowed here, so that nothing else refuses a target. */
function guardOf(endpoints: OwnEndpoint[], names: Record<string, string[]> = {}) {
  const own = createOwnAddresses(endpoints, async (host) => {
    const found = names[host];
    if (found === undefined) throw new Error('ENOTFOUND');
    return found;
  });
  const allowCidrs = ['0.0.0.0/0', '::/0'];
  return { own, guard: createAddressGuard({ allowCidrs, allowHttp: true, own }) };
}

const REASON = 'must not be an address of this service or of what it runs on';
const interfaceUrls = Object.values(networkInterfaces())
  .flatMap((list) => list ?? [])
  .filter(({ scopeid }) => scopeid === undefined || scopeid === 0)
  .map(({ address, family }) => `http://${family === 'IPv6' ? `[${address}]` : address}:3001/`);

describe('an endpoint on this machine is blocked in every spelling', () => {
  const { guard } = guardOf([{ host: '127.0.0.1', port: 3001 }]);
  test.each([
    'http://localhost:3001/',
    'http://LOCALHOST:3001/v1/channels',
    'https://localhost:3001/',
    'http://127.0.0.1:3001/',
    'http://127.0.0.2:3001/',
    'http://127.255.255.254:3001/',
    'http://127.1:3001/',
    'http://2130706433:3001/',
    'http://0x7f.1:3001/',
    'http://0177.0.0.1:3001/',
    'http://127。0。0。1:3001/',
    'http://%31%32%37.0.0.1:3001/',
    'http://0:3001/',
    'http://0.0.0.0:3001/',
    'http://[::]:3001/',
    'http://[::1]:3001/',
    'http://[0:0:0:0:0:0:0:1]:3001/',
    'http://[::ffff:127.0.0.1]:3001/',
    'http://[::ffff:7f00:2]:3001/',
    'http://127.0.0.1:03001/',
    ...interfaceUrls,
  ])('%s', (url) => {
    expect(guard.checkUrl(url)).toBe(REASON);
  });

  test.each([
    'http://localhost:3002/',
    'http://127.0.0.1:30010/',
    'http://[::1]:3000/',
    'http://8.8.8.8:3001/',
    'http://localhost/',
  ])('%s, at another port or elsewhere, is one still', (url) => {
    expect(guard.checkUrl(url)).toBeUndefined();
  });
});

describe('an endpoint elsewhere', () => {
  const { guard, own } = guardOf([{ host: 'DB.internal.example.', port: 6543 }], {
    'db.internal.example': ['10.1.2.3', 'fd00::1'],
  });

  test.each([
    ['http://db.internal.example:6543/', REASON],
    ['http://DB.Internal.Example:6543/', REASON],
    ['http://10.1.2.3:6543/', REASON],
    ['http://[::ffff:10.1.2.3]:6543/', REASON],
    ['http://[fd00::1]:6543/', REASON],
    ['http://[fd00:0:0::1]:6543/', REASON],
    ['http://db.internal.example:6544/', undefined],
    ['http://10.1.2.4:6543/', undefined],
    ['http://localhost:6543/', undefined],
    ['http://other.example:6543/', undefined],
  ])('%s: %s', async (url, problem) => {
    await own.refresh();
    expect(guard.checkUrl(url)).toBe(problem);
  });

  test('is known by any name at the connection', async () => {
    await own.refresh();
    expect(own.isOwnAddress('10.1.2.3', 6543, 'hooks.example.com')).toBe(true);
    expect(own.isOwnAddress('10.1.2.3', 443, 'hooks.example.com')).toBe(false);
  });

  test('whose name means this machine blocks all of its addresses', async () => {
    const { own: here } = guardOf([{ host: 'api.example.com', port: 8000 }], { 'api.example.com': ['127.0.1.1'] });
    await here.refresh();
    for (const address of ['127.0.0.1', '::1', '0.0.0.0', '127.0.1.1']) {
      expect(here.isOwnAddress(address, 8000, 'hooks.example.com')).toBe(true);
    }
  });
});

describe('an endpoint behind a proxy that others share', () => {
  const { guard, own } = guardOf([{ host: 'posthorn.example.com', port: 443, isShared: true }], {
    'posthorn.example.com': ['203.0.113.7'],
  });

  test.each([
    ['https://posthorn.example.com/v1/channels', REASON],
    ['https://POSTHORN.example.com:443/', REASON],
    ['http://posthorn.example.com/', REASON],
    ['https://203.0.113.7/', REASON],
    ['https://hooks.example.com/', undefined],
    ['https://posthorn.example.com:8443/', undefined],
  ])('%s: %s', async (url, problem) => {
    await own.refresh();
    expect(guard.checkUrl(url)).toBe(problem);
  });

  test('does not block its neighbours at the same address', async () => {
    await own.refresh();
    expect(own.isOwnAddress('203.0.113.7', 443, 'hooks.example.com')).toBe(false);
    expect(own.isOwnAddress('203.0.113.7', 443, '203.0.113.7')).toBe(true);
  });
});

test('a port that opens later is blocked from then on, and port 0 is not a port', () => {
  const { guard, own } = guardOf([{ host: 'localhost', port: 0 }]);
  expect(guard.checkUrl('http://localhost:3001/')).toBeUndefined();
  own.add({ host: 'localhost', port: 3001 });
  expect(guard.checkUrl('http://localhost:3001/')).toBe(REASON);
});

test('a range that is not allowed is blocked as such, so callers do not learn which of its ports are ours', () => {
  const own = createOwnAddresses([{ host: '127.0.0.1', port: 3001 }]);
  const guard = createAddressGuard({ allowCidrs: [], allowHttp: true, own });
  expect(guard.checkUrl('http://127.0.0.1:3001/')).toBe('must not be a private, local or reserved address');
  expect(guard.checkUrl('http://localhost:3001/')).toBe('must not be a host name of a private network');
});

describe('a name', () => {
  const endpoint = { host: 'db.example.com', port: 6543 };

  test('that cannot be looked up is retried, and is blocked by name meanwhile', async () => {
    let asked = 0;
    const own = createOwnAddresses([endpoint], async () => {
      asked += 1;
      if (asked === 1) throw new Error('ESERVFAIL');
      return ['10.1.2.3'];
    });
    await own.refresh();
    expect(own.isOwnTarget(new URL('http://db.example.com:6543/'))).toBe(true);
    expect(own.isOwnAddress('10.1.2.3', 6543, 'x')).toBe(false);
    while (asked < 2) {
      await new Promise((resolve) => setTimeout(resolve, 50));
      await own.refresh();
    }
    expect(own.isOwnAddress('10.1.2.3', 6543, 'x')).toBe(true);
  }, 60_000);

  test('is looked up once for concurrent requests', async () => {
    let asked = 0;
    const own = createOwnAddresses([endpoint], async () => {
      asked += 1;
      return ['10.1.2.3'];
    });
    await Promise.all(Array.from({ length: 20 }, () => own.refresh()));
    await own.refresh();
    expect(asked).toBe(1);
  });

  test('whose lookup never ends delays nothing for long', async () => {
    const own = createOwnAddresses([endpoint], () => new Promise(() => undefined));
    await own.refresh();
    expect(own.isOwnTarget(new URL('http://db.example.com:6543/'))).toBe(true);
  }, 60_000);
});

describe('an inspector', () => {
  const ID = `ins_${'0'.repeat(26)}`;
  const INSPECT = `/inspect/${ID}`;
  const { own, guard } = guardOf([
    { host: 'posthorn.example.com', port: 443, isShared: true, api: { protocol: 'https:', path: '' } },
    { host: 'api.internal', port: 8443, api: { protocol: 'https:', path: '/posthorn' } },
    { host: 'localhost', port: 3001, api: { protocol: 'http:', path: '' } },
    { host: 'localhost', port: 9090 },
  ]);

  test.each([
    `https://posthorn.example.com${INSPECT}`,
    `https://POSTHORN.example.com:443${INSPECT}?by=hand`,
    `https://api.internal:8443/posthorn${INSPECT}`,
    `http://localhost:3001${INSPECT}`,
    `http://127.0.0.1:3001${INSPECT}`,
    `http://[::1]:3001${INSPECT}`,
  ])('is a target of webhooks alone: %s', (url) => {
    expect(guard.checkWebhookUrl(url)).toBeUndefined();
    expect(guard.readInspector(url)).toMatchObject({ origin: new URL(url).origin });
    expect(guard.checkUrl(url)).toBeDefined();
    expect(guard.readTarget(url)).toMatchObject({ problem: guard.checkUrl(url) });
  });

  test.each([
    'https://posthorn.example.com/v1/channels',
    'https://posthorn.example.com/inspect/',
    `https://posthorn.example.com${INSPECT}/`,
    `https://posthorn.example.com${INSPECT}/more`,
    `https://posthorn.example.com${INSPECT}/../../v1/channels`,
    `https://posthorn.example.com/inspect/..%2f..%2fv1`,
    `https://posthorn.example.com${INSPECT}%2f..%2f..%2fv1`,
    `https://posthorn.example.com/v1${INSPECT}`,
    `https://posthorn.example.com/INSPECT/${ID}`,
    `https://posthorn.example.com/inspect/${ID.toUpperCase()}`,
    `https://somebody@posthorn.example.com${INSPECT}`,
    `http://posthorn.example.com${INSPECT}`,
    `https://api.internal:8443${INSPECT}`,
    `https://localhost:3001${INSPECT}`,
    `http://localhost:9090${INSPECT}`,
    `http://127.0.0.2:3001${INSPECT}`,
  ])('stands at no other address: %s', (url) => {
    expect(guard.readInspector(url)).toBeUndefined();
    expect(guard.checkWebhookUrl(url)).toBeDefined();
  });

  test('is reached only by the name and port of the API', () => {
    expect(own.isApiAddress('203.0.113.7', 443, 'posthorn.example.com')).toBe(true);
    expect(own.isApiAddress('127.0.0.1', 3001, 'localhost')).toBe(true);
    expect(own.isApiAddress('203.0.113.7', 3001, 'localhost')).toBe(false);
    expect(own.isApiAddress('127.0.0.1', 9090, 'localhost')).toBe(false);
    expect(own.isApiAddress('127.0.0.1', 3001, 'hooks.example.com')).toBe(false);
    expect(own.isApiAddress('127.0.0.1', 443, 'localhost')).toBe(false);
  });

  test('is a valid target even if http and this machine are not', () => {
    const strict = createAddressGuard({ allowCidrs: [], allowHttp: false, own });
    expect(strict.checkWebhookUrl(`http://localhost:3001${INSPECT}`)).toBeUndefined();
    expect(strict.checkWebhookUrl('http://localhost:3002/')).toBeDefined();
  });
});
