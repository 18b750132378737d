import { execFile, execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import { ENDPOINTS } from '../../client/src/generated/endpoints.ts';
import { childEnvironment } from '../../src/platform/config/config.ts';
import { codeBlocksOf, ROOT } from '../docs/code-blocks.ts';
import { installClient, type PackedClient } from '../support/world/packed-client.ts';

describe('package', () => {
  let client: PackedClient;
  beforeAll(async () => {
    client = await installClient();
  });
  afterAll(() => client.remove());

  type Manifest = Record<string, unknown> & { exports: Record<string, unknown> };
  // `as`: npm has read it too.
  const manifestOf = (folder: string) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as Manifest;
  const filesOf = (folder: string): string[] =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => /\.\w+$/.test(name));

  test('the tarball has compiled sources, their types and a README, and no dependencies', () => {
    const files = filesOf(client.folder);
    expect(files.filter((name) => !/^dist\/[\w/-]+\.(js|d\.ts)$/.test(name)).toSorted()).toEqual([
      'README.md',
      'package.json',
    ]);
    const manifest = manifestOf(client.folder);
    for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies'])
      expect(manifest[kind]).toBeUndefined();
    expect(readdirSync(join(client.app, 'node_modules')).filter((name) => !name.startsWith('.'))).toEqual([
      '@posthorn',
    ]);
    const foreign = files
      .filter((name) => /\.(js|d\.ts)$/.test(name))
      .flatMap((name) =>
        [...readFileSync(join(client.folder, name), 'utf8').matchAll(/(?:from|import\(?) '([^']+)'/g)]
          .filter(([, path = '']) => !/^\.\.?\//.test(path))
          .map(([, path = '']) => `${name} imports ${path}`),
      );
    // The example of a docstring or a README imports the package by its name.
    expect(foreign).toEqual([]);
  });

  test('the package runs in Node without any other module, with a method for every endpoint', () => {
    const script = `
    import { Posthorn, verifyWebhook, rawJson, ApiError } from '@posthorn/client';
    const posthorn = new Posthorn({ baseUrl: 'http://localhost:1', retries: { max: 0 } });
    const failure = await posthorn.channels.get('chn_1').catch((error) => error);
    console.log(JSON.stringify([failure.name, posthorn instanceof Posthorn, Object.keys(posthorn).length]));`;
    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: client.app,
      encoding: 'utf8',
    });
    expect(JSON.parse(output)).toEqual(['ConnectionError', true, Object.keys(ENDPOINTS).length + 1]);
  });

  describe('publint', () => {
    const messagesOf = async (pkgDir: string): Promise<(string | undefined)[]> => {
      const { messages, pkg } = await publint({ pkgDir, pack: false, strict: true });
      return messages.map((message) => formatMessage(message, pkg, { color: false }));
    };

    test('finds nothing', async () => {
      expect(await messagesOf(client.folder)).toEqual([]);
    });

    test.each([
      ['code', { types: './dist/index.d.ts', default: './dist/none.js' }, 'none.js'],
      ['types', { types: './dist/none.d.ts', default: './dist/index.js' }, 'none.d.ts'],
    ])('finds exports whose %s are missing files', async (_, entry, name) => {
      const folder = mkdtempSync(join(tmpdir(), 'posthorn-publint-'));
      try {
        cpSync(client.folder, folder, { recursive: true });
        const manifest = { ...manifestOf(client.folder), exports: { '.': entry } };
        writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest));
        expect(await messagesOf(folder)).toEqual([expect.stringContaining(name)]);
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    });
  });

  describe('the README', () => {
    const blocks = codeBlocksOf('client/README.md');

    test('has examples only in TypeScript', () => {
      expect(new Set(blocks.map(({ language }) => language))).toEqual(new Set(['ts']));
    });

    const compile = (name: string, module: string, moduleResolution: string): string => {
      const settings = {
        compilerOptions: {
          strict: true,
          noEmit: true,
          module,
          moduleResolution,
          target: 'es2022',
          lib: ['es2022', 'dom', 'dom.iterable', 'dom.asynciterable'],
          types: [],
        },
        include: ['block-*.ts'],
      };
      writeFileSync(join(client.app, name), JSON.stringify(settings));
      const { stdout } = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', join(client.app, name)], {
        encoding: 'utf8',
      });
      return stdout;
    };

    test.each([
      ['Node', 'nodenext', 'nodenext'],
      ['bundlers', 'esnext', 'bundler'],
    ])('passes the compiler against the installed package, with the settings of %s', (_, module, resolution) => {
      for (const [index, { text }] of blocks.entries()) writeFileSync(join(client.app, `block-${index}.ts`), text);
      expect(compile('tsconfig.json', module, resolution)).toBe('');
      const fault =
        "import type { Posthorn } from '@posthorn/client';\nexport const f = (p: Posthorn) => p.channels.create({ nam: 'x' });\n";
      writeFileSync(join(client.app, 'block-fault.ts'), fault);
      expect(compile('tsconfig.json', module, resolution)).toContain("'nam' does not exist");
      rmSync(join(client.app, 'block-fault.ts'));
    });
  });
});

describe('garbage', () => {
  let client: PackedClient;
  beforeAll(async () => {
    client = await installClient();
  });
  afterAll(() => client.remove());

  /** A server that begins every body and ends none, and a client of it in a program whose garbage is collected all the time. */
  const PROGRAM = `
  import { once } from 'node:events';
  import { createServer } from 'node:http';
  import { Posthorn } from '@posthorn/client';

  const closed = [];
  const server = createServer((request, response) => {
    const isStream = request.url.endsWith('/stream');
    closed.push(once(response, 'close'));
    response.writeHead(200, { 'content-type': isStream ? 'text/event-stream' : 'application/json' });
    response.write(isStream ? 'id: 1\\ndata: {"id":"msg_1"}\\n\\n' : '{"id":');
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const posthorn = new Posthorn({ baseUrl: 'http://127.0.0.1:' + server.address().port, retries: { max: 0 } });

  const collecting = setInterval(globalThis.gc, 50);
  const collections = async (count) => {
    for (let done = 0; done < count; done += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      globalThis.gc();
    }
  };
  const ends = {};
  ends.late = await posthorn.channels.get('chn_1', { timeoutMs: 1_000 }).catch((error) => error.name);
  const ending = new AbortController();
  const given = posthorn.channels.get('chn_1', { signal: ending.signal }).catch((reason) => reason);
  const stopping = new AbortController();
  const seen = [];
  const streaming = (async () => {
    for await (const { message } of posthorn.messages.stream('chn_1', {}, { signal: stopping.signal })) seen.push(message.id);
  })();
  while (seen.length === 0) await collections(1);
  await collections(10);
  ending.abort('enough');
  stopping.abort();
  ends.given = await given;
  await streaming;
  ends.seen = seen;
  await Promise.all(closed);
  ends.closed = closed.length;
  clearInterval(collecting);
  server.close();
  console.log(JSON.stringify(ends));
`;

  test('a body that is read during garbage collections ends in time and by its signal, and so does its connection', async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      ['--expose-gc', '--input-type=module', '-e', PROGRAM],
      { cwd: client.app, env: childEnvironment({}), timeout: 100_000 },
    );
    expect(JSON.parse(stdout)).toEqual({ late: 'TimeoutError', given: 'enough', seen: ['msg_1'], closed: 3 });
  });
});
