import { expect, test } from '@jest/globals';
import { readConfig } from '../../platform/config/config.ts';
import { describeService } from './start.ts';

const config = readConfig({ DATABASE_URL: 'postgresql://ada:secret@db/posthorn', PROCESSES: '3' });
const lines = (more: object = {}): string =>
  describeService({ config, apiUrl: 'http://localhost:3000', temporalAddress: 'temporal:7233', ...more }).join('\n');

test('shows where the servers are and how many processes there are, without a password', () => {
  expect(lines()).toMatch(/API +http:\/\/localhost:3000\n/);
  expect(lines()).toMatch(/Processes +3 \(PROCESSES\)/);
  expect(lines()).toMatch(/PostgreSQL +postgresql:\/\/ada@db\/posthorn/);
  expect(lines()).not.toMatch(/secret|administrator/);
});

test('a command for another terminal names the data folder that it needs', () => {
  expect(lines()).toContain('create one with: npx posthorn keys create');
  const own = { config: { ...config, dataFolder: "/srv/Ada's data" } };
  expect(lines(own)).toContain(
    String.raw`create one with: DATA_FOLDER='/srv/Ada'\''s data' npx posthorn keys create --env test`,
  );
  expect(lines(own)).toContain("  Data folder  /srv/Ada's data\n");
});

const LINK = 'http://localhost:3000/dashboard/setup#code=1';
const withoutDashboard = { ...config, isDashboardServed: false };
test.each([
  ['the setup link while there is no administrator', { setupLink: LINK }, `  ${LINK}`],
  ['the setup link also without a dashboard', { config: withoutDashboard, setupLink: LINK }, `  ${LINK}`],
  ['the dashboard once there is an administrator', {}, '  http://localhost:3000/dashboard/'],
  [
    'the dashboard of another origin',
    { config: { ...withoutDashboard, dashboardUrl: 'https://dash.example.com/' } },
    '  https://dash.example.com/',
  ],
  ['no link where there is nothing to open', { config: withoutDashboard }, 'Ctrl-C stops Posthorn.'],
])('the last line is %s', (_, more, expected) => {
  expect(lines(more).split('\n').at(-1)).toBe(expected);
});

test('a first start prints the keys, and omits what only an operator needs', () => {
  const key = { key: 'svc_test_x' };
  const first = lines({ keys: { live: { key: 'svc_live_x' }, test: key }, setupLink: LINK });
  expect(first).toMatch(/shown only now.*\n {2}live {2}svc_live_x\n {2}test {2}svc_test_x\n/);
  expect(first).not.toMatch(/PROCESSES|ALLOW_HTTP_WEBHOOKS/);
});
