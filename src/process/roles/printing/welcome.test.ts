import { expect, test } from '@jest/globals';
import { readConfig } from '../../../config.ts';
import { describeService } from './welcome.ts';

const config = readConfig({ DATABASE_URL: 'postgresql://ada:secret@db/posthorn', PROCESSES: '3' });
const lines = (more: object = {}): string =>
  describeService({ config, apiUrl: 'http://localhost:3000', temporalAddress: 'temporal:7233', ...more }).join('\n');

test('where the parts are and how many processes there are, without a password', () => {
  expect(lines()).toMatch(/Dashboard +http:\/\/localhost:3000\/dashboard\//);
  expect(lines()).toMatch(/Processes +3 \(PROCESSES\)/);
  expect(lines()).toMatch(/PostgreSQL +postgresql:\/\/ada@db\/posthorn/);
  expect(lines()).not.toMatch(/secret|administrator/);
});

test('a command for another terminal names the folder that it needs', () => {
  expect(lines()).toContain('A further API key: npx posthorn keys create');
  const own = { config: { ...config, dataFolder: "/srv/Ada's data" }, setup: {} };
  expect(lines(own)).toContain(
    String.raw`A further API key: DATA_FOLDER='/srv/Ada'\''s data' npx posthorn keys create`,
  );
  expect(lines(own)).toContain(String.raw`A new link: DATA_FOLDER='/srv/Ada'\''s data' npx posthorn admin setup-link`);
});

test.each([
  [{ link: 'http://localhost:3000/dashboard/setup#code=1' }, /once and within 60 minutes.*\n +http:\S+#code=1\nA new/],
  [
    {},
    /There is no administrator yet\. The newest link that was printed within the last hour is still good\nA new link: npx/,
  ],
])('while there is no administrator, the way to the first one: %j', (setup, expected) => {
  expect(lines({ setup })).toMatch(expected);
});
