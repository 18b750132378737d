import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { childEnvironment } from '../../src/platform/config/config.ts';
import { ensureEnvironments } from '../../src/process/seed.ts';
import { createLog } from '../../src/platform/log.ts';
import { createNewId } from '../../src/platform/new-id.ts';
import { runPosthorn, startPosthorn } from '../support/service/command-line.ts';
import { createTestDatabase, type TestDatabase } from '../support/service/database.ts';
import { BUILT } from '../support/service/ensure-built.ts';
import { apiKeysOf } from '../support/make/credential-services.ts';

let database: TestDatabase;
const folder = mkdtempSync(join(tmpdir(), 'posthorn-settings-'));

beforeAll(async () => {
  database = await createTestDatabase();
  await ensureEnvironments({ db: database.db, newId: createNewId(Date.now) });
});
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
});

/** Runs the command line where its `.env` is. */
async function runIn(text: string, parameters: string[]): Promise<{ output: string; errors: string }> {
  writeFileSync(join(folder, '.env'), text);
  const { DATABASE_URL: _, ...rest } = childEnvironment();
  const { stdout, stderr } = await promisify(execFile)(process.execPath, [BUILT.main, ...parameters], {
    cwd: folder,
    env: rest,
  }).catch((failure: unknown) => failure as { stdout: string; stderr: string });
  return { output: stdout, errors: stderr };
}

describe('.env', () => {
  test('that begins with a byte order mark keeps its first setting', async () => {
    const { output, errors } = await runIn(`\uFEFFDATABASE_URL=${database.url}\n`, ['keys', 'list']);
    expect([output, errors]).toEqual(['ID  APP  ENVIRONMENT  TIER  STATUS  KEY  NAME\n', '']);
  });

  test('with a misspelt setting ends every command with one sentence', async () => {
    const { output, errors } = await runIn(`DATABASE_ULR=${database.url}\n`, ['keys', 'list']);
    expect([output, errors]).toEqual([
      '',
      'posthorn: DATABASE_ULR in .env is not a setting. Did you mean DATABASE_URL? Correct or remove it\n',
    ]);
  });
});

test.each(['api', 'worker', 'start', 'migrate', 'keys list'])(
  '%s ends with one sentence when a setting is misspelt in the environment, and not for what other programs read',
  async (role) => {
    const variables = { DATABASE_URL: database.url, REDIS_PORT: 'tcp://10.0.0.1:6379', TEMPORAL_ADRESS: 'x:7233' };
    const { exitCode, output, errors } = await runPosthorn(role.split(' '), variables);
    expect([exitCode, output, errors]).toEqual([
      1,
      '',
      'posthorn: TEMPORAL_ADRESS is not a setting. Did you mean TEMPORAL_ADDRESS? Correct or remove it\n',
    ]);
  },
);

test('names that look like settings and are none are told of once, and those of Kubernetes not at all', async () => {
  const variables = {
    DATABASE_URL: database.url,
    ENCRYPTION_KEYS: `k1:${Buffer.alloc(32, 1).toString('base64')}`,
    PORT: '0',
    POSTHORN_COLOUR: 'red',
    POSTHORN_PORT: 'tcp://10.0.0.1:3000',
  };
  const api = await startPosthorn('api', variables, 'the API is ready');
  api.child.kill('SIGTERM');
  await api.ended;
  expect(api.output().match(/ignored settings that this release does not have: [^"]*/g)).toEqual([
    'ignored settings that this release does not have: POSTHORN_COLOUR',
  ]);
});

describe('names on the command line', () => {
  // Regression: a name with escape sequences cleared the terminal of whoever listed the keys.
  test('that hold control characters are shown escaped, in the table and as JSON', async () => {
    const name = 'x\u001b[2J\u009bred\u202e';
    const apiKeys = apiKeysOf({
      db: database.db,
      tenants: database.tenants,
      clock: () => new Date(),
      newId: createNewId(Date.now),
      log: createLog('silent'),
    });
    await apiKeys.operator.create({ environment: 'test', name: 'plain', tier: 'free' });
    await database.pool.query(`UPDATE api_keys SET name = $1 WHERE name = 'plain'`, [name]);
    const [table, json] = await Promise.all([
      runPosthorn(['keys', 'list'], { DATABASE_URL: database.url }),
      runPosthorn(['keys', 'list', '--json'], { DATABASE_URL: database.url }),
    ]);
    expect(table.output).toMatch(/ x\\u001b\[2J\\u009bred\\u202e\n$/);
    expect(JSON.parse(json.output)).toMatchObject([{ name }]);
    for (const character of ['\u001b', '\u009b', '\u202e']) expect(table.output + json.output).not.toContain(character);
  });

  test('are refused when they hold control characters', async () => {
    const { exitCode, errors } = await runPosthorn(['keys', 'create', '--env', 'test', '--name', 'a\u001b[2J'], {
      DATABASE_URL: database.url,
    });
    expect(exitCode).toBe(1);
    expect(errors).toContain('A name must not contain control characters.');
    expect(errors).not.toContain('\u001b');
  });
});
