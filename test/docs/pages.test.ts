import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { PARSERS } from '../../bench/hold-up/parsers.ts';
import { HOSTILE_INPUTS } from '../../bench/hold-up/table.ts';
import { CONNECTORS } from '../../src/automations/connectors/catalogue/catalogue.ts';
import {
  BOUNDS,
  LONGEST,
  UNITS,
  UNITS_OF_A_CHANNEL,
  UNITS_OF_A_FILTER,
} from '../../src/messaging/filters/expressions/units.ts';
import {
  createFilterCompiler,
  type Filter,
  type FilterVerdict,
  KEPT,
  readMessage,
} from '../../src/messaging/filters/filters.ts';
import { REASON_CODES } from '../../src/kernel/rules/service-verdict.ts';
import { createMeters } from '../../src/platform/observe/meters.ts';
import { type Node, parse, walk } from '../support/check/syntax.ts';
import { sourcesOf } from '../support/check/imports.ts';
import { LAYERS } from '../support/check/layers.ts';
import { codeBlocksOf, PAGES, readPage, ROOT, tableRowsOf } from './code-blocks.ts';

describe('code blocks', () => {
  /** The pages whose commands a test of this folder runs. A new page with commands brings its test. */
  const RUN_PAGES: Record<string, string> = {
    'README.md': 'readme.test.ts',
    'docs/tutorial/first-hour.md': 'guides.whole.test.ts',
    'docs/guides/authenticate.md': 'guides.whole.test.ts',
    'docs/guides/connectors.md': 'guides.whole.test.ts',
    'docs/guides/inbound-webhooks.md': 'guides.whole.test.ts',
    'docs/guides/inspectors.md': 'guides.whole.test.ts',
    'docs/guides/manage-access.md': 'guides.whole.test.ts',
    'docs/guides/publish.md': 'guides.whole.test.ts',
    'docs/guides/receive.md': 'guides.whole.test.ts',
    'docs/guides/recover.md': 'guides.whole.test.ts',
    'docs/guides/streams.md': 'guides.whole.test.ts',
    'docs/guides/subscribe.md': 'guides.whole.test.ts',
    'docs/guides/workflows.md': 'guides.whole.test.ts',
    'docs/reference/api-conventions.md': 'guides.whole.test.ts',
    'docs/operate/backup.md': 'operate.whole.test.ts',
    'docs/operate/capacity.md': 'operate.whole.test.ts',
    'docs/operate/deployment.md': 'operate.whole.test.ts',
    'docs/operate/keys-and-secrets.md': 'operate.whole.test.ts',
    'docs/operate/network-and-hardening.md': 'operate.whole.test.ts',
    'docs/operate/observability.md': 'operate.whole.test.ts',
    'docs/operate/running.md': 'operate.whole.test.ts',
    'docs/operate/temporal.md': 'operate.whole.test.ts',
    'docs/operate/troubleshooting.md': 'operate.whole.test.ts',
    'docs/operate/upgrading.md': 'operate.whole.test.ts',
    'docs/reference/command-line.md': 'operate.whole.test.ts',
    'docs/reference/logs.md': 'operate.whole.test.ts',
  };

  const blocks = PAGES.flatMap(codeBlocksOf);
  const places = (language: string): [string, string][] =>
    blocks.filter((block) => block.language === language).map(({ page, line, text }) => [`${page}:${line}`, text]);

  // Receivers are written in many languages: guides.whole.test.ts runs those of receive.md.
  const LANGUAGES = ['bash', 'sql', 'ts', 'js', 'json', 'text', 'python', 'go', 'php'];

  test('every code block is of a language that a test runs, type-checks or parses; text is for pictures', () => {
    const strange = blocks.filter(({ language }) => !LANGUAGES.includes(language));
    expect(strange.map(({ page, line, language }) => `${page}:${line} ${language}`)).toEqual([]);
    const commands = blocks.filter(({ language }) => language === 'bash' || language === 'sql');
    expect(commands.filter(({ page }) => RUN_PAGES[page] === undefined)).toEqual([]);
    expect(Object.values(RUN_PAGES).filter((name) => !existsSync(join(ROOT, 'test/docs', name)))).toEqual([]);
  });

  describe('JSON', () => {
    test.each(places('json'))('at %s is valid', (_place, text) => {
      expect(() => JSON.parse(text) as unknown).not.toThrow();
    });
  });

  test('TypeScript passes the compiler with the settings of the project', () => {
    const folder = mkdtempSync(join(tmpdir(), 'posthorn-docs-'));
    try {
      symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'));
      writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
      const settings = { extends: join(ROOT, 'tsconfig.json'), include: ['*.ts'] };
      writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(settings));
      places('ts').forEach(([, text], index) => writeFileSync(join(folder, `block-${index}.ts`), text));
      expect(places('ts').length).toBeGreaterThan(0);
      const compile = (): string =>
        execFileSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', folder], { encoding: 'utf8' });
      expect(compile).not.toThrow();
      writeFileSync(join(folder, 'fault.ts'), 'export const count: number = "one";');
      expect(compile).toThrow();
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

describe('comment width', () => {
  /** Columns that a reader's window beside a second one shows. The formatter holds code to 120 and leaves comments as they are. */
  const MOST_COLUMNS = 140;

  /** Lines with nothing but a comment. Addresses cannot be broken. */
  const isComment = (line: string): boolean => /^\s*(?:\/\/|\/\*\*?|\*) /.test(line) && !line.includes('://');

  const tooWide = (path: string, content: string): string[] =>
    content
      .split('\n')
      .flatMap((line, index) =>
        isComment(line) && line.length > MOST_COLUMNS ? [`${path}:${index + 1} has ${line.length} columns`] : [],
      );

  test(`a line of a comment has ${MOST_COLUMNS} columns at most`, () => {
    const files = execFileSync('git', ['ls-files', '*.ts', '*.tsx', '*.js'], { cwd: ROOT, encoding: 'utf8' })
      .split('\n')
      .filter((path) => path !== '' && !path.includes('/generated/'));
    expect(files.length).toBeGreaterThan(1_000);
    expect(files.flatMap((path) => tooWide(path, readFileSync(ROOT + path, 'utf8')))).toEqual([]);
  });

  test.each([
    ['a comment', `// ${'w '.repeat(70)}`, 1],
    ['a docstring of one line', `  /** ${'w '.repeat(70)} */`, 1],
    ['a line of a docstring', `/**\n * ${'w '.repeat(70)}\n */`, 1],
    ['a comment that fits', `// ${'w '.repeat(68)}`, 0],
    ['a line of code', `const text = '${'w '.repeat(70)}';`, 0],
  ])('%s is looked at', (_, content, faults) => {
    expect(tooWide('planted.ts', content)).toHaveLength(faults);
  });
});

describe('connectors', () => {
  const page = readPage('docs/guides/connectors.md');

  /** Lines of the page's table of connectors. */
  const lines = CONNECTORS.map(({ id, name, category, auth, operations }) => {
    const credentials = auth.type === 'none' ? 'none' : namesOf(Object.keys(auth.credentials.shape));
    return `| ${name} | \`${id}\` | ${category} | ${credentials} | ${namesOf(operations.map((each) => each.id))} |`;
  });

  function namesOf(names: readonly string[]): string {
    return names.map((name) => `\`${name}\``).join(', ');
  }

  test('docs/guides/connectors.md has a line for each connector, as the catalogue has it', () => {
    const [, table = ''] = page.split(
      '| Connector | `connectorId` | Category | Credentials | Operations |\n|---|---|---|---|---|\n',
    );
    expect(table.split('\n\n')[0]?.split('\n')).toEqual(lines);
  });
});

describe('decisions', () => {
  const records = readdirSync(`${ROOT}docs/decisions`).filter((name) => name !== 'README.md');
  const index = readPage('docs/decisions/README.md');

  test.each(records)('%s says what was chosen, why, at what cost and until when', (name) => {
    const [title = '', ...lines] = readPage(`docs/decisions/${name}`).trimEnd().split('\n');
    const [, number = '', decision = ''] = /^# (\d+)\. (.+)$/.exec(title) ?? [];
    expect(name).toMatch(new RegExp(`^${number.padStart(4, '0')}-[a-z0-9-]+\\.md$`));
    expect(index).toContain(`- [${number}](${name}): ${decision}\n`);
    const headings = lines.filter((line) => line.startsWith('#'));
    expect(headings).toEqual(['## Context', '## Decision', '## Consequences', '## When to revisit']);
    expect(lines.length).toBeLessThan(40);
  });

  test('each record of the index is there, in the order of its number', () => {
    const named = Array.from(index.matchAll(/\]\((\d{4}-[^)]+)\)/g), ([, name]) => name);
    expect(named).toEqual(records.toSorted((one, other) => one.localeCompare(other)));
  });
});

describe('glossary', () => {
  const terms = tableRowsOf('docs/reference/glossary.md').map(([term = '']) => term);

  test('terms are in alphabetical order, each once', () => {
    expect(terms.length).toBeGreaterThan(40);
    const ordered = new Set(terms.toSorted((one, other) => one.localeCompare(other)));
    expect(terms).toEqual([...ordered]);
  });
});

describe('hostile inputs', () => {
  test('each parser is in a file that is there', () => {
    expect(Object.values(PARSERS).filter((file) => !existsSync(ROOT + file))).toEqual([]);
  });

  test('each parser has a hostile input, and each input a name of its own', () => {
    const tried = new Set<string>(HOSTILE_INPUTS.map(({ parser }) => parser));
    expect(Object.keys(PARSERS).filter((parser) => !tried.has(parser))).toEqual([]);
    const names = HOSTILE_INPUTS.map(({ name }) => name);
    expect(names).toEqual([...new Set(names)]);
  });
});

describe('links', () => {
  const pages = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '*.md'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => path !== '' && existsSync(ROOT + path));

  const withoutCode = (text: string): string => text.replace(/^```[\s\S]*?^```/gm, '');

  /** Anchors of a page's headings, as readers of Markdown on the web make them: a second one with the same words ends in -1. */
  function anchorsOf(text: string): Set<string> {
    const times = new Map<string, number>();
    return new Set(
      Array.from(withoutCode(text).matchAll(/^#{1,6} (.+)$/gm), ([, heading = '']) => {
        const anchor = heading
          .replace(/\[([^\]]*)\]\([^)]*\)/g, '$1')
          .trim()
          .toLowerCase()
          .replace(/[^\p{L}\p{N}\s_-]/gu, '')
          .replace(/ /g, '-');
        const before = times.get(anchor) ?? 0;
        times.set(anchor, before + 1);
        return before === 0 ? anchor : `${anchor}-${before}`;
      }),
    );
  }

  /** Links of a page to files of ours that are not there, or to headings that they do not have. */
  function deadLinks(page: string, text: string): string[] {
    const links = withoutCode(text)
      .replace(/`[^`\n]*`/g, '')
      .matchAll(/\]\(([^)\s]+)\)/g);
    return Array.from(links, ([, link = '']) => link).filter((link) => {
      if (/^[a-z]+:/.test(link)) return false;
      const [file = '', anchor] = link.split('#');
      const target = file === '' ? page : posix.join(posix.dirname(page), file);
      if (target !== page && !existsSync(ROOT + target)) return true;
      if (anchor === undefined || !target.endsWith('.md')) return false;
      return !anchorsOf(target === page ? text : readFileSync(ROOT + target, 'utf8')).has(anchor);
    });
  }

  test('each link of a page leads to a file that is there, and to a heading of it', () => {
    expect(pages.length).toBeGreaterThan(20);
    const dead = pages.flatMap((page) =>
      deadLinks(page, readFileSync(ROOT + page, 'utf8')).map((link) => `${page}: ${link}`),
    );
    expect(dead).toEqual([]);
  });

  test.each([
    ['a file that is not there', 'See [rates](nobody.md).', 'nobody.md'],
    [
      'a heading of another page that is not there',
      'See [rates](../reference/glossary.md#no-such-heading).',
      '../reference/glossary.md#no-such-heading',
    ],
    ['a heading of the same page that is not there', '## Rates\n\nSee [rates](#rate).', '#rate'],
  ])('a planted link to %s is found', (_what, text, link) => {
    expect(deadLinks('docs/contributing/testing.md', text)).toEqual([link]);
  });

  test.each([
    '## Rates of all\n\n## Rates of all\n\nSee [rates](#rates-of-all-1).',
    'See [the map](../explanation/architecture.md#how-the-code-is-divided).',
    'See [RFC](https://www.rfc-editor.org/rfc/rfc9112).',
    '`[x](nobody.md)`',
  ])('a link that leads somewhere is left alone: %j', (text) => {
    expect(deadLinks('docs/contributing/testing.md', text)).toEqual([]);
  });
});

describe('logs', () => {
  const LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'];
  /** Fields that no call of the log names: src/platform/log.ts and src/platform/outages add them, and the SDK names its own errors. */
  const ADDED = [
    'level',
    'time',
    'pid',
    'role',
    'process',
    'host',
    'version',
    'msg',
    'error',
    'outageMs',
    'suppressedLines',
  ];

  /** A call of a log: the fields that it gives by name, what it spreads (`idsOf` or `ids`), and the literal text of its sentence. */
  type LogCall = { path: string; names: string[]; spreads: string[]; text: string };

  /** The calls of a log in a file. */
  function callsOf(path: string, source: string): LogCall[] {
    const calls: LogCall[] = [];
    walk(parse(source), (node) => {
      if (!isLogCall(node)) return;
      const given = node.children('arguments');
      const fields = given.find(({ type }) => type === 'ObjectExpression')?.children('properties') ?? [];
      const isSpread = ({ type }: Node): boolean => type === 'SpreadElement';
      calls.push({
        path,
        names: fields.filter((each) => !isSpread(each)).flatMap((each) => each.keyName() ?? []),
        spreads: fields.filter(isSpread).map(spreadName),
        text: given.map(textOf).join(' '),
      });
    });
    return calls;
  }

  /** Value of a literal text; empty for everything else. */
  function textOf(node: Node): string {
    const value = node.value('value');
    return typeof value === 'string' ? value : '';
  }

  /** `ids` of `...ids`, `idsOf` of `...idsOf(delivery)`. */
  function spreadName(node: Node): string {
    const [spread] = node.children('arguments');
    const named = spread?.type === 'CallExpression' ? spread.children('callee')[0] : spread;
    return named?.lastName() ?? '';
  }

  const fieldsOf = ({ names, path }: LogCall): { name: string; path: string }[] =>
    names.map((name) => ({ name, path }));

  /** `log.warn(…)`, `deps.log.info(…)` or `log[level](…)`. */
  function isLogCall(node: Node): boolean {
    if (node.type !== 'CallExpression') return false;
    const [callee] = node.children('callee');
    if (callee?.type !== 'MemberExpression') return false;
    const [object] = callee.children('object');
    const [property] = callee.children('property');
    const isOfLevel = property?.type === 'Computed' || LEVELS.includes(callee.lastName() ?? '');
    return object?.lastName() === 'log' && isOfLevel;
  }

  const namedIn = (section: string): string[] =>
    tableRowsOf('docs/reference/logs.md', section).flatMap(([names = '']) =>
      Array.from(names.matchAll(/`(\w+)`/g), ([, name = '']) => name),
    );

  const calls = ['src', 'activities', 'local'].flatMap((folder) =>
    [...sourcesOf(folder)].flatMap(([path, source]) => callsOf(path, source)),
  );
  const written = calls.flatMap(fieldsOf);

  test('every field of a log line is in docs/reference/logs.md', () => {
    const named = [...namedIn('Common fields'), ...namedIn('Other fields')];
    expect(written.length).toBeGreaterThan(60);
    expect(written.filter(({ name }) => !named.includes(name))).toEqual([]);
  });

  test('docs/reference/logs.md names no field that no line has', () => {
    const known = new Set([...written.map(({ name }) => name), ...ADDED, ...SPREAD]);
    expect(namedIn('Other fields').filter((name) => !known.has(name))).toEqual([]);
    expect(namedIn('Common fields').filter((name) => !ADDED.includes(name))).toEqual([]);
  });

  /** Fields that a line has by spreading an object: of a failed request, and of the Temporal SDK. */
  const SPREAD = [
    'deliveryId',
    'messageId',
    'subscriptionId',
    'requestId',
    'traceId',
    'route',
    'workflowId',
    'runId',
    'activityId',
    'taskQueue',
    'temporal',
  ];

  /** Ids that stand together: a line with the first has the others, so that a search by any of them finds it. */
  const TOGETHER: readonly (readonly [string, readonly string[]])[] = [
    ['deliveryId', ['messageId', 'subscriptionId', 'traceId']],
    // A step that waits for any run has none yet.
    ['stepId', ['runId|workflowId']],
    ['connectorId', ['connectionId']],
  ];

  /** A sentence about one thing has its id beside it. */
  const ABOUT: readonly (readonly [RegExp, string])[] = [
    [/\b(?:a|its) delivery\b/, 'deliveryId'],
    [/\ba claim was\b/, 'deliveryId'],
    [/\ba (?:scheduled )?message (?:was|could)\b/, 'messageId'],
    [/\ba (?:subscription|circuit)\b/, 'subscriptionId'],
    [/\ba schedule\b/, 'workflowId'],
    [/\b(?:a|its) run\b/, 'runId'],
    [/\ba step failed\b/, 'stepId'],
    [/\ban inbound webhook\b/, 'webhookId'],
    [/\bof a connection\b/, 'connectionId'],
    [/\ba deleted channel\b/, 'channelId'],
  ];

  /** Sentences whose writer knows one id alone, each with the reason. */
  const KNOWS_ONE: Readonly<Record<string, string>> = {
    'Temporal did not say why a delivery was ended there; it ends all the same':
      'the workflow id that Temporal tells names the delivery and its round',
  };

  /** Spreads that hold all ids of a delivery: `LoggedIds` of src/kernel/contract/delivery-to-attempt.ts. */
  const IDS_OF_DELIVERY = ['ids', 'idsOf', 'idsIn'];
  const OF_DELIVERY = ['deliveryId', 'messageId', 'subscriptionId', 'traceId'];

  /** Sentences about a thing, or names of one, without its other ids. */
  function lonelyIn(all: readonly LogCall[]): string[] {
    return all.flatMap(({ path, names, spreads, text }) => {
      if (KNOWS_ONE[text.trim()] !== undefined) return [];
      const isSpread = spreads.some((name) => IDS_OF_DELIVERY.includes(name));
      const has = [...names, ...(isSpread ? OF_DELIVERY : [])];
      const wanted = [
        ...TOGETHER.flatMap(([name, others]) => (has.includes(name) ? others : [])),
        ...ABOUT.flatMap(([words, name]) => (words.test(text) ? [name] : [])),
      ];
      const missing = wanted.filter((each) => !each.split('|').some((name) => has.includes(name)));
      return missing.length === 0 ? [] : [`${path}: ${text.trim() || names.join()} has no ${missing.join(', ')}`];
    });
  }

  test('each line about a thing has its id, and the ids that belong to it', () => {
    expect(lonelyIn(calls)).toEqual([]);
    const sentences = calls.map(({ text }) => text.trim());
    expect(Object.keys(KNOWS_ONE).filter((sentence) => !sentences.includes(sentence))).toEqual([]);
    expect(
      calls.filter(({ spreads }) => spreads.some((name) => IDS_OF_DELIVERY.includes(name))).length,
    ).toBeGreaterThan(3);
  });

  test('a line without them is found, beside another one of its file that has them', () => {
    const good = "log.warn({ err, ...idsOf(delivery) }, 'a try broke off; its delivery stays due');";
    const planted = [
      "log.warn({ err, deliveryId, messageId }, 'x');",
      "log.error({ err: failure }, 'a run failed with an internal error; retry it once the cause is fixed');",
      "deps.log.warn({ err }, 'could not synchronise a schedule with Temporal; the next poll tries again');",
      "log.warn('a circuit opened');",
    ];
    expect(lonelyIn(callsOf('good.ts', good))).toEqual([]);
    for (const text of planted) expect(lonelyIn(callsOf('planted.ts', `${good}\n${text}`))).toHaveLength(1);
  });

  test('a field under another name, or with an abbreviation, is found', () => {
    const planted =
      "deps.log.warn({ err: error, msgId: id, ...told }, 'x'); log[level]({ reqId }, 'y'); other.warn({ no: 1 });";
    expect(
      callsOf('planted.ts', planted)
        .flatMap(fieldsOf)
        .map(({ name }) => name),
    ).toEqual(['err', 'msgId', 'reqId']);
  });

  test('an error has the name err, under which a reader looks for it', () => {
    expect(written.filter(({ name }) => ['error', 'failure', 'cause', 'e'].includes(name))).toEqual([]);
  });
});

describe('metric names', () => {
  const NAMING = PAGES.filter((page) =>
    /\/(?:troubleshooting|capacity|observability|running|upgrading|performance)\.md$/.test(page),
  );
  const alerts = new Set(
    [...readFileSync(`${ROOT}deploy/observe/alerts.yml`, 'utf8').matchAll(/alert: (\w+)/g)].map(([, name]) => name),
  );

  /** Ours as docs/reference/metrics.md lists them, which test/observe compares with the page, and those of Node. */
  const metrics = new Set([
    ...tableRowsOf('docs/reference/metrics.md').map(([name = '']) => name.replaceAll('`', '')),
    ...createMeters()
      .registry.getMetricsAsArray()
      .map(({ name }) => name),
  ]);
  const namedIn = (text: string): { metrics: string[]; alerts: string[] } => ({
    metrics: [...text.matchAll(/\b(?:posthorn|nodejs|process)_[a-z0-9_]+\b/g)].map(([name]) => name),
    alerts: [...text.matchAll(/\bPosthorn[A-Z]\w+/g)].map(([name]) => name),
  });

  test.each(NAMING)('%s names metrics and alerts that exist', (page) => {
    const named = namedIn(readPage(page));
    expect(named.metrics.filter((name) => !metrics.has(name))).toEqual([]);
    expect(named.alerts.filter((name) => !alerts.has(name))).toEqual([]);
  });

  test('each alert and each reason code of the verdict leads to a section of a page', () => {
    const rows = tableRowsOf('docs/operate/troubleshooting.md', 'First checks').map(([names = '', target = '']) => ({
      names,
      target,
    }));
    const named = rows.flatMap(({ names }) => names.replaceAll('`', '').split(', '));
    expect(new Set(named)).toEqual(new Set([...alerts, ...REASON_CODES]));
    expect(named).toHaveLength(alerts.size + REASON_CODES.length);
    expect(rows.filter(({ target }) => !/\]\([\w.-]*#[\w-]+\)$/.test(target))).toEqual([]);
  });

  test('a name that no metric has is found', () => {
    expect(namedIn('`posthorn_no_such_total` and PosthornNoSuchAlert')).toEqual({
      metrics: ['posthorn_no_such_total'],
      alerts: ['PosthornNoSuchAlert'],
    });
    expect(metrics.has('posthorn_no_such_total')).toBe(false);
  });
});

describe('index', () => {
  test('docs/README.md leads to every page; the decisions have an index of their own', () => {
    const index = readPage('docs/README.md');
    const pages = PAGES.filter((page) => page.startsWith('docs/') && page !== 'docs/README.md')
      .filter((page) => !/^docs\/decisions\/\d/.test(page))
      .map((page) => page.slice('docs/'.length));
    expect(pages.length).toBeGreaterThan(10);
    expect(pages.filter((page) => !index.includes(`](${page})`))).toEqual([]);
  });

  test('the README leads to the index', () => {
    expect(readPage('README.md')).toContain('](docs/README.md)');
  });
});

describe('references', () => {
  /** The specification as its author gave it: comments cite its sections. */
  const SPECIFICATION = 'docs/specification.txt';
  /** Files that plant what must not be. */
  const PLANTING = [
    'test/docs/pages.test.ts',
    'test/contract/lint-guards.whole.test.ts',
    'test/contract/sources.test.ts',
    'test/contract/layers.test.ts',
  ];

  /** A file with text of ours, as `git ls-files` names it: sources, pages and settings. */
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], {
    cwd: ROOT,
    encoding: 'utf8',
  })
    .split('\n')
    .filter((path) => /\.(ts|md|sql|prisma|json|ya?ml|go|mjs)$/.test(path) && existsSync(ROOT + path))
    // Neither a merged migration nor a dated measurement is ever edited: they name the files of their day.
    .filter((path) => !path.startsWith('prisma/migrations/') && !path.startsWith('bench/results/'))
    .filter((path) => path !== 'package-lock.json' && !PLANTING.includes(path) && !path.endsWith('results.json'));

  const tracked = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n').filter(Boolean);

  const textOf = (path: string): string => readFileSync(ROOT + path, 'utf8');
  const hasHeading = (page: string, heading: string): boolean =>
    textOf(page)
      .split('\n')
      .some((line) => /^#+ /.test(line) && line.replace(/^#+ /, '') === heading);

  /** Every match of `pattern` in our files that `isDead` says leads nowhere. */
  function deadOnes(
    pattern: RegExp,
    isDead: (match: RegExpExecArray) => boolean,
    sources = new Map<string, string>(),
  ): string[] {
    const texts = sources.size > 0 ? [...sources] : files.map((path) => [path, textOf(path)] as const);
    return texts.flatMap(([path, text]) =>
      Array.from(text.matchAll(pattern))
        .filter(isDead)
        .map((match) => `${path}: ${match[0]}`),
    );
  }

  type Rule = { title: string; pattern: RegExp; isDead: (match: RegExpExecArray) => boolean; planted: string };
  const RULES: readonly Rule[] = [
    {
      title: 'nothing is cited that is not in this repository',
      pattern: /\b(DESIGN|CONVENTIONS)\b|\b[Ss]ecurity §/g,
      isDead: () => true,
      planted: '// Six at a time (DESIGN §3).',
    },
    {
      title: 'a section of the specification is there',
      pattern: /\b(?:[Ss]pec|[Ss]pecification) \(?§(\d+)/g,
      isDead: ([, number]) => !new RegExp(`^## ${number}\\. `, 'm').test(textOf(SPECIFICATION)),
      planted: '/** Page size (spec §44). */',
    },
    {
      title: 'a page is there, with the section that is named',
      pattern: /\b(docs\/[\w/-]+\.(?:md|txt))(?:, ([A-Z][\w ]+))?\b/g,
      isDead: ([, page = '', heading]) =>
        !existsSync(ROOT + page) || (heading !== undefined && !hasHeading(page, heading)),
      planted: '// See docs/explanation/architecture.md, Colours.',
    },
    {
      title: 'a file that is named by its path is there',
      pattern: /(?<![\w/.*-])((?:src|workflows|activities|test|bench|demo)\/[\w./-]+\.(?:ts|go|md))\b/g,
      isDead: ([, path = '']) => !existsSync(ROOT + path),
      planted: '// src/delivery/queue/nobody.ts does it.',
    },
  ];

  describe.each(RULES)('$title', ({ pattern, isDead, planted }) => {
    test('in every file', () => {
      expect(deadOnes(pattern, isDead)).toEqual([]);
    });

    test('and a planted one is found', () => {
      expect(deadOnes(pattern, isDead, new Map([['planted.ts', planted]]))).toHaveLength(1);
    });
  });

  describe('the map', () => {
    const tables = tableRowsOf('docs/explanation/architecture.md', 'How the code is divided');
    const named = tables.flatMap(([cell = '']) => Array.from(cell.matchAll(/`([^`]+)`/g), ([, name = '']) => name));

    test('names every room of src and every folder of ours beside it', () => {
      const rooms = LAYERS.flat().map((room) => `src/${room}`);
      expect(named.filter((name) => name.startsWith('src/'))).toEqual(rooms);
      const others = tracked.flatMap((path) => (path.includes('/') ? [path.split('/')[0]] : []));
      expect(new Set([...named.filter((name) => !name.startsWith('src/')), 'src'])).toEqual(new Set(others));
    });
  });
});

describe('filters', () => {
  const PAGE = 'docs/reference/filters.md';
  const page = readPage(PAGE);

  const compile = createFilterCompiler(KEPT);

  function filterOf(text: string): Filter {
    const compiled = compile(text);
    if ('problem' in compiled) throw new Error(compiled.problem);
    return compiled;
  }

  function verdictOn(filter: string): FilterVerdict {
    const [message] = codeBlocksOf(PAGE).filter(({ language }) => language === 'json');
    const text = message?.text ?? '';
    const { eventType, metadata } = JSON.parse(text) as { eventType: string; metadata: Record<string, string> };
    // As it stands: the reference would lose its digits in JSON.parse.
    const payload = text.slice(text.indexOf('{', 1), text.lastIndexOf('},') + 1);
    return filterOf(filter).verdictOn(readMessage({ eventType, payload, metadata }));
  }

  /** Two cells of each row of the page that the pattern finds. */
  const rowsOf = (row: RegExp): [string, string][] =>
    [...page.matchAll(row)].map(([, first = '', second = '']): [string, string] => [
      first.replaceAll('\\|', '|'),
      second,
    ]);
  const numberOf = (text: string): number => Number(text.replaceAll(',', ''));

  describe('the examples', () => {
    const examples = rowsOf(/^\| `(.+)` \| (yes|no) \|$/gm);

    test('are there', () => {
      expect(examples.length).toBeGreaterThan(15);
    });

    test.each(examples)('%s matches: %s', (filter, answer) => {
      expect(verdictOn(filter)).toEqual({ matches: answer === 'yes' });
    });

    const priced = rowsOf(/^\| `(.+)` \| ([\d,]+) \|$/gm);

    test('with units are there', () => {
      expect(priced.length).toBeGreaterThan(10);
    });

    test.each(priced)('%s has %s units', (filter, units) => {
      expect(filterOf(filter).units).toBe(numberOf(units));
    });

    test('are right for a refused expression and for its shorter form', () => {
      const [, refused = '', taken = ''] =
        /`([^`]+)` is refused, `([^`]+)` is not\./.exec(page.slice(page.indexOf('## Cost units'))) ?? [];
      expect(compile(refused)).toEqual({ problem: expect.stringMatching(/^must take at most \d+ units/) });
      expect(filterOf(taken).units).toBeLessThan(UNITS_OF_A_FILTER);
    });
  });

  describe('the tables say what the code counts:', () => {
    const cells = new Map(rowsOf(/^\| (.+) \| ([\d.,]+)(?:, about .*)? \|$/gm));
    const cell = (name: string): number => numberOf(cells.get(name) ?? 'missing');

    test.each<[keyof typeof UNITS, string]>([
      ['filter', 'a filter'],
      ['character', 'each character of it'],
      ['operation', 'an operator or a call'],
      ['member', 'a member, with `.` or `[ ]`'],
      ['name', 'a variable'],
      ['element', 'an element that a comprehension visits'],
      ['timestamp', '`timestamp` of a value that is not constant'],
      ['duration', '`duration` of a value that is not constant'],
      ['conversion', 'converting a text to a number or bool, or a number to a text'],
      ['item', 'an item that `in` compares'],
      ['compared', 'a value inside a list or map that is compared with another'],
      ['failure', 'a failure that can be tolerated, and the one that ends a filter'],
      ['failureCharacter', 'the same, for each character of the filter'],
      ['patternEntry', 'a state of a compiled pattern'],
      ['comparedCharacter', 'a character that is compared'],
      ['itemCharacter', 'a character of the items that `in` compares'],
      ['keyCharacter', 'a character of a key'],
      ['countedCharacter', 'a character that `size` counts'],
      ['searchedCharacter', 'a character that `contains` searches'],
      ['needleCharacter', 'a character that `contains` searches for'],
      ['readCharacter', 'a character that `matches`, `lowerAscii` or `upperAscii` reads'],
    ])('%s', (name, row) => {
      expect(cell(row)).toBe(UNITS[name]);
    });

    test('no price is missing on the page', () => {
      const prices = /\| For \| Units \|\n\|---\|---\|\n((?:\|.*\n)+)/.exec(page)?.[1] ?? '';
      expect(prices.trim().split('\n')).toHaveLength(Object.keys(UNITS).length);
    });

    test.each<[keyof typeof BOUNDS, string]>([
      ['elements', 'Elements visited by `all`, `exists`, `exists_one` and `filter`'],
      ['items', 'Items that `in` searches'],
      ['compared', 'Values inside lists and maps compared with each other, per evaluation'],
      ['failures', 'Tolerated failures, per evaluation'],
      ['read', 'Characters of one text read by `matches`, `lowerAscii` and `upperAscii`'],
      ['readInAll', 'Characters read by these three, per evaluation'],
      ['searched', 'Characters searched by `contains` and counted by `size`, per evaluation'],
      ['needle', 'Characters of a text that `contains` and `in` search for'],
      ['converted', 'Characters of a text converted to a number or bool'],
      ['duration', 'Characters of a duration'],
    ])('%s', (name, row) => {
      expect(cell(row)).toBe(BOUNDS[name]);
    });

    test('are right for a filter, for a channel and for texts', () => {
      expect([cell('One filter'), cell('All different filters of a channel together')]).toEqual([
        UNITS_OF_A_FILTER,
        UNITS_OF_A_CHANNEL,
      ]);
      const [, payload = '', metadata = '', eventType = ''] =
        /([\d,]+) characters of the payload, ([\d,]+) of metadata, (\d+) of the event type/.exec(page) ?? [];
      expect([payload, metadata, eventType].map(numberOf)).toEqual(Object.values(LONGEST));
    });
  });
});
