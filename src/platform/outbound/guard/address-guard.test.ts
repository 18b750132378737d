import { describe, expect, test } from '@jest/globals';
import { createAddressGuard } from './address-guard.ts';
import { createOwnAddresses } from './own-addresses.ts';

// Own addresses are tested in own-addresses.test.ts.
const NONE = createOwnAddresses([]);

// http is allowed here, so that a target is refused for its address or form and not for its scheme.
const guard = createAddressGuard({ allowCidrs: [], allowHttp: true, own: NONE });
const strict = createAddressGuard({ allowCidrs: [], allowHttp: false, own: NONE });
const local = createAddressGuard({ allowCidrs: ['127.0.0.0/8', '::1/128'], allowHttp: true, own: NONE });

const LONG = 'a'.repeat(2_048);

/** Spellings that have fooled address guards, numbered; 77 to 84 need a resolver: test/outbound/connector.test.ts. */
const REFUSED: [number, string][] = [
  [1, 'http://127.0.0.1/'],
  [2, 'http://127.1/'],
  [3, 'http://127.0.1/'],
  [4, 'http://2130706433/'],
  [5, 'http://017700000001/'],
  [6, 'http://0177.0.0.1/'],
  [7, 'http://0x7f000001/'],
  [8, 'http://0x7f.1/'],
  [9, 'http://127.0.0.1./'],
  [10, 'http://①②⑦.⓪.⓪.①/'],
  [11, 'http://127。0。0。1/'],
  [12, 'http://%31%32%37.0.0.1/'],
  [13, 'http://0/'],
  [14, 'http://0.0.0.0/'],
  [15, 'http:127.0.0.1/'],
  [16, 'http:///127.0.0.1/'],
  [17, 'http://[::1]/'],
  [18, 'http://[::]/'],
  [19, 'http://[0:0:0:0:0:0:0:1]/'],
  [20, 'http://[::ffff:127.0.0.1]/'],
  [21, 'http://[::127.0.0.1]/'],
  [22, 'http://[::ffff:0:127.0.0.1]/'],
  [23, 'http://[64:ff9b::a9fe:a9fe]/'],
  [24, 'http://[64:ff9b:1::a9fe:a9fe]/'],
  [25, 'http://[2002:7f00:1::]/'],
  [26, 'http://[2001:0:53aa:64c:0:0:80ff:fffe]/'],
  [27, 'http://[fe80::1]/'],
  [28, 'http://[fe80::1%25eth0]/'],
  [29, 'http://[febf::1]/'],
  [30, 'http://[fec0::1]/'],
  [31, 'http://[fc00::1]/'],
  [32, 'http://[ff02::1]/'],
  [33, 'http://[100::1]/'],
  [34, 'http://[2001:db8::1]/'],
  [35, 'http://[3fff::1]/'],
  [36, 'http://[5f00::1]/'],
  [37, 'http://[4000::1]/'],
  [38, 'http://10.0.0.1/'],
  [39, 'http://172.16.0.1/'],
  [40, 'http://172.31.255.255/'],
  [41, 'http://192.168.0.1/'],
  [42, 'http://100.64.0.1/'],
  [43, 'http://192.0.0.192/'],
  [44, 'http://192.0.2.1/'],
  [45, 'http://192.88.99.1/'],
  [46, 'http://198.18.0.1/'],
  [47, 'http://198.51.100.1/'],
  [48, 'http://203.0.113.1/'],
  [49, 'http://224.0.0.1/'],
  [50, 'http://240.0.0.1/'],
  [51, 'http://255.255.255.255/'],
  [52, 'http://4294967295/'],
  [53, 'http://169.254.169.254/latest/meta-data/'],
  [54, 'http://169.254.170.2/v2/credentials'],
  [55, 'http://[fd00:ec2::254]/'],
  [56, 'http://100.100.100.200/'],
  [57, 'http://168.63.129.16/'],
  [58, 'http://metadata.google.internal/'],
  [59, 'http://example.com@169.254.169.254/'],
  [60, 'http://169.254.169.254\\@example.com/'],
  [61, 'http://user:pass@example.com/'],
  [62, 'http://exam\tple.com/'],
  [63, 'http://ⓛocalhost/'],
  [64, 'http://LOCALHOST./'],
  [65, 'http://foo.localhost/'],
  [66, 'http://example.com:22/'],
  [67, 'http://example.com:0/'],
  [68, 'http://example.com:65536/'],
  [69, 'http://example.com\0/'],
  [69, 'http://example.com\r\nhost: evil/'],
  [70, 'http://postgres:5432/'],
  [70, 'http://temporal:7233/'],
  [70, 'http://api/'],
  [71, 'ftp://example.com/'],
  [72, 'file:///etc/passwd'],
  [73, 'gopher://127.0.0.1:6379/_x'],
  [74, 'data:,x'],
  [75, 'javascript:alert(1)'],
  [76, 'unix:/var/run/docker.sock'],
];

const OTHERS_REFUSED = [
  '',
  ' ',
  'example.com',
  '//example.com/',
  '/path',
  'http://',
  'http://?',
  'http://#',
  'http:\\\\example.com\\',
  ' http://example.com/',
  'http://example.com/ ',
  'http://example.com/a b',
  'http://example.com/a\nb',
  'http://example.com/\u007f',
  'http://example.com/\u0085',
  'http://example.com/\ud800',
  'http://./',
  'http://.example.com/',
  'http://:@example.com/',
  'http://localhost/',
  'http://localhost.localdomain.local/',
  'http://printer.local/',
  'http://router.home.arpa/',
  'http://abc.onion/',
  'http://example.com./',
  'http://./',
  'http://.example.com/',
  'http://example..com/',
  'http://-a.example.com/',
  'http://a_b.example.com/',
  'http://exa%00mple.com/',
  'http://exa%2fmple.com/',
  'http://example.com:1023/',
  'http://example.com:1433/',
  'http://example.com:2375/',
  'http://example.com:3306/',
  'http://example.com:5432/',
  'http://example.com:6379/',
  'http://example.com:7233/',
  'http://example.com:8500/',
  'http://example.com:9200/',
  'http://example.com:11211/',
  'http://example.com:27017/',
  'http://[::ffff:10.0.0.1]/',
  'http://[::ffff:a9fe:a9fe]/',
  'http://[2001:10::1]/',
  'http://[2001:20::1]/',
  `http://${'a'.repeat(64)}.example.com/`,
  `http://${'a.'.repeat(126)}example.com/`,
  `http://example.com/${LONG}`,
  `http://example.com/${'é'.repeat(1_000)}`,
];

const ACCEPTED: (string | [number, string])[] = [
  [85, 'https://8.8.8.8/'],
  [86, 'https://[2606:4700:4700::1111]/'],
  [87, 'https://bücher.example/'],
  'https://example.com',
  'HTTPS://EXAMPLE.COM/',
  'https://example.com:443/',
  'https://example.com:80/',
  'https://example.com:1024/hooks?key=a%20b&c=d#part',
  'https://example.com:65535/',
  'https://a.b-c.example.com/é/日本',
  'https://example.com/path@with-at?and=user:pass@x',
  'https://168.63.129.17/',
  'https://172.32.0.1/',
  'https://[::ffff:8.8.8.8]/',
];

describe('targets that are blocked', () => {
  test.each(REFUSED)('input %d: %j', (_number, url) => {
    expect(guard.checkUrl(url)).toMatch(/^must /);
    expect(strict.checkUrl(url)).toMatch(/^must /);
    // The same host by https is no better.
    expect(strict.checkUrl(url.replace(/^http:/, 'https:'))).toMatch(/^must /);
  });

  test.each(OTHERS_REFUSED)('%j', (url) => {
    expect(guard.checkUrl(url)).toMatch(/^must /);
  });
});

describe('targets that are accepted', () => {
  test.each(ACCEPTED.map((item) => (Array.isArray(item) ? item[1] : item)))('%j', (url) => {
    expect(guard.checkUrl(url)).toBeUndefined();
    expect(strict.checkUrl(url)).toBeUndefined();
  });
});

test("plain http requires the operator's permission", () => {
  expect(strict.checkUrl('http://example.com/')).toBe('must be an absolute https URL');
  expect(guard.checkUrl('http://example.com/')).toBeUndefined();
});

test('the reason never repeats what a spelling stands for', () => {
  expect(guard.checkUrl('http://2130706433/')).toBe('must not be a private, local or reserved address');
});

test('a URL of exactly 2,048 characters is the longest', () => {
  const head = 'https://example.com/';
  expect(strict.checkUrl(head.padEnd(2_048, 'a'))).toBeUndefined();
  expect(strict.checkUrl(head.padEnd(2_049, 'a'))).toMatch('at most 2048');
});

describe('with loopback allowed by the operator', () => {
  test.each([
    'http://127.0.0.1:3001/',
    'http://127.1:3001/',
    'http://[::1]:3001/',
    'http://[::ffff:127.0.0.1]:3001/',
    'http://localhost:3001/hook',
    'http://LOCALHOST/',
    'https://localhost/',
  ])('%s is accepted', (url) => {
    expect(local.checkUrl(url)).toBeUndefined();
  });

  test.each([
    'http://localhost:5432/',
    'http://127.0.0.1:7233/',
    'http://127.0.0.1:22/',
    'http://[::1]:81/',
    'http://10.0.0.1/',
    'http://0.0.0.0/',
    'http://169.254.169.254/',
    'http://[fd00::1]/',
    'http://user@127.0.0.1/',
  ])('%s is still refused', (url) => {
    expect(local.checkUrl(url)).toMatch(/^must /);
  });

  // Old mechanism: names were judged by their form, as if every receiver were public.
  test.each([
    'http://vm:8080/',
    'http://my_service:8080/',
    'http://orders.shop.svc.cluster.local/',
    'http://host.docker.internal:8080/',
    'http://localhost./',
    'http://foo.localhost/',
    'https://example.com./',
    'http://a_b.example.com/',
  ])('the name of %s is for its addresses to judge', (url) => {
    expect(local.checkUrl(url)).toBeUndefined();
  });

  test.each(['http://a..b/', 'http://-a/', `http://${'a'.repeat(64)}/`, 'http://./', 'http://a../', 'http://a*b/'])(
    '%s is not a host name even then',
    (url) => {
      expect(local.checkUrl(url)).toMatch(/^must /);
    },
  );

  test('localhost requires one of its two addresses', () => {
    const accepts = (...allowCidrs: string[]) =>
      createAddressGuard({ allowCidrs, allowHttp: true, own: NONE }).checkUrl('http://localhost:3001/') === undefined;
    expect(accepts('127.0.0.0/8')).toBe(true);
    expect(accepts('0.0.0.0/0')).toBe(true);
    expect(accepts('127.0.0.1/32')).toBe(true);
    expect(accepts('::1/128')).toBe(true);
    expect(accepts('127.0.0.2/32')).toBe(false);
    expect(accepts('10.0.0.0/8')).toBe(false);
  });
});

describe('an address', () => {
  test.each(['8.8.8.8', '2606:4700:4700::1111', '::ffff:8.8.8.8', '1.1.1.1', '2a00:1450::1'])(
    '%s is allowed',
    (address) => {
      expect(guard.isAllowed(address)).toBe(true);
    },
  );

  test.each([
    '',
    'example.com',
    'localhost',
    '127.1',
    '0177.0.0.1',
    '0x7f000001',
    '2130706433',
    ' 8.8.8.8',
    '8.8.8.8/32',
    '[2606:4700:4700::1111]',
    '2606:4700:4700::1111%eth0',
    '::ffff:168.63.129.16',
    '::8.8.8.8',
    '64:ff9b::808:808',
  ])('%j is not allowed', (address) => {
    expect(guard.isAllowed(address)).toBe(false);
  });

  test('in an allowed range is allowed in both spellings, but its neighbours are not', () => {
    const one = createAddressGuard({ allowCidrs: ['10.1.0.0/16', 'fd12::/16'], allowHttp: false, own: NONE });
    for (const address of ['10.1.0.0', '10.1.255.255', '::ffff:10.1.2.3', 'fd12::1']) {
      expect(one.isAllowed(address)).toBe(true);
    }
    for (const address of ['10.0.255.255', '10.2.0.0', '::10.1.2.3', 'fd13::1', '127.0.0.1', '::1']) {
      expect(one.isAllowed(address)).toBe(false);
    }
  });
});

describe('an invalid range prevents the start', () => {
  test.each([
    '',
    '10.0.0.0',
    '10.0.0.0/33',
    '10/8',
    '::1/129',
    '10.0.0.0/8/8',
    '10.0.0.0/',
    '0177.0.0.0/8',
    'localhost/8',
    '10.0.0.0/-1',
  ])('%j', (range) => {
    expect(() => createAddressGuard({ allowCidrs: [range], allowHttp: false, own: NONE })).toThrow(
      'WEBHOOK_ALLOW_CIDRS',
    );
  });
});
