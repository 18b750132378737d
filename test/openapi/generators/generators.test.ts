import { execFile } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { childEnvironment } from '../../../src/platform/config/config.ts';
import { blockWith } from '../../docs/code-blocks.ts';
import { startPosthorn, type TestPosthorn } from '../../support/service/posthorn.ts';
import { GO_MODULE } from './programs.ts';

const { POSTHORN_GENERATORS_PATH: programs = '', POSTHORN_GENERATORS_PACKAGES: packages = '', PATH = '' } = process.env;
const PROGRAMS = join(import.meta.dirname, 'programs');

let posthorn: TestPosthorn;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'posthorn-generators-'));
  posthorn = await startPosthorn({ withWorker: false });
});
afterAll(async () => {
  await posthorn.stop();
  rmSync(folder, { recursive: true, force: true });
});

/**
 * Runs a script in a folder of the test, as somebody who has installed the generators. Resolves with what it has printed, and rejects with
 * that where it fails. The service answers in this process meanwhile.
 */
async function run(script: string, name: string): Promise<string> {
  const { stdout, stderr } = await promisify(execFile)('bash', ['-euo', 'pipefail', '-c', `exec 2>&1\n${script}`], {
    cwd: join(folder, name),
    env: childEnvironment({ PATH: `${programs}:${PATH}`, URL: posthorn.url, KEY: posthorn.keys.live, NO_COLOR: '1' }),
    maxBuffer: 64 * 1024 * 1024,
  }).catch(({ stdout: told }: { stdout: string }) => {
    throw new Error(`${script}\n${told}`);
  });
  return stdout + stderr;
}

const CLIENTS = [
  {
    generator: 'oapi-codegen',
    prepare: (place: string) => {
      for (const name of ['go.mod', 'go.sum']) cpSync(join(GO_MODULE, name), join(place, '..', name));
      cpSync(join(PROGRAMS, 'main.go'), join(place, '..', 'main.go'));
    },
    check: 'cd .. && GOFLAGS=-mod=readonly go vet . && go build -o use . ',
    use: '../use',
  },
  {
    generator: 'openapi-python-client',
    prepare: (place: string) => cpSync(join(PROGRAMS, 'use_client.py'), join(place, 'use_client.py')),
    // Its own client.py is not typed as strictly as mypy wants.
    check: 'mypy --follow-imports=silent use_client.py posthorn/api posthorn/models',
    use: 'python use_client.py',
  },
  {
    generator: 'datamodel-codegen',
    prepare: (place: string) => cpSync(join(PROGRAMS, 'use_models.py'), join(place, 'use_models.py')),
    check: 'mypy --strict use_models.py posthorn.py',
    use: 'python use_models.py',
  },
  {
    generator: 'openapi-typescript',
    prepare: (place: string) => {
      cpSync(join(PROGRAMS, 'use.ts.txt'), join(place, 'use.mts'));
      symlinkSync(packages, join(place, 'node_modules'));
    },
    check:
      'tsc --strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes --module nodenext --target es2022 --lib es2022,dom use.mts',
    use: `'${process.execPath}' use.mjs`,
  },
] as const;

describe.each(CLIENTS)('$generator', ({ generator, prepare, check, use }) => {
  const place = `${generator}/posthorn`;

  test('the command of docs/reference/api-conventions.md makes a client without a warning', async () => {
    mkdirSync(join(folder, place), { recursive: true });
    prepare(join(folder, place));
    expect(await run(blockWith('docs/reference/api-conventions.md', `# ${generator}`), place)).not.toMatch(
      /warning|omitted|not be generated/i,
    );
  });

  test('the client compiles, with a program that uses it', async () => {
    await run(check, place);
  });

  test('the program makes a channel and a subscription, publishes, lists, and reads a refusal', async () => {
    const lines = (await run(use, place)).trimEnd().split('\n');
    const made = JSON.parse(lines.at(-1) ?? '') as Record<'channelId' | 'subscriptionId' | 'messageId', string>;
    const { channelId, subscriptionId, messageId } = made;
    expect(made).toEqual({ channelId, subscriptionId, messageId, listed: [messageId], refusal: 'NOT_FOUND' });
    const subscription = await posthorn.request('GET', `/v1/subscriptions/${subscriptionId}`);
    expect([subscription.status, subscription.body]).toEqual([200, expect.objectContaining({ channelId })]);
    const message = await posthorn.request('GET', `/v1/messages/${messageId}`);
    expect(message.body).toMatchObject({ channelId, eventType: 'order.created', payload: { order: { id: 1 } } });
  });
});
