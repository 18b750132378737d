import { expect, test } from '@jest/globals';
import { commandLine, EXAMPLES } from '../../docs/generate/command-line.ts';
import { generatedPages } from '../../docs/generate/pages.ts';
import { invalidField } from '../../src/kernel/errors.ts';
import { readConfig } from '../../src/platform/config/config.ts';
import { blockWith, readPage, tableRowsOf } from './code-blocks.ts';

test.each(Object.entries(generatedPages()))('%s is what npm run generate:docs writes', (path, text) => {
  expect(readPage(path)).toBe(text);
});

test('every example of a command names a command, its parameters and options that it has', () => {
  const named = commandLine().commands.flatMap((command) =>
    command.commands.length === 0
      ? [{ path: command.name(), command }]
      : command.commands.map((each) => ({ path: `${command.name()} ${each.name()}`, command: each })),
  );
  expect(Object.keys(EXAMPLES).toSorted()).toEqual(named.map(({ path }) => path).toSorted());
  for (const { path, command } of named) {
    const [, words = ''] = /npx posthorn (.*?)(?: > .*)?$/.exec(EXAMPLES[path] ?? '') ?? [];
    expect(`${words} `).toContain(`${path} `);
    const given = Array.from(
      words.slice(path.length).matchAll(/'([^']*)'|(\S+)/g),
      ([, quoted, bare]) => quoted ?? bare ?? '',
    );
    command.exitOverride().configureOutput({ writeErr: () => undefined });
    const { operands, unknown } = command.parseOptions(given);
    expect([path, operands.length, unknown]).toEqual([path, command.registeredArguments.length, []]);
  }
});

test('the example of docs/reference/errors.md is what a service returns for a field', () => {
  const { code, message, details } = invalidField('name', 'is required');
  expect(JSON.parse(blockWith('docs/reference/errors.md', 'INVALID_REQUEST'))).toEqual({
    error: { code, message, details },
  });
});

test('the defaults of docs/reference/settings.md that the schema does not have are those of the code', () => {
  const shown = new Map(tableRowsOf('docs/reference/settings.md').map(([name = '', value = '']) => [name, value]));
  const { port, publicBaseUrl, isDashboardServed, logLevel, deliveryBurstThreshold } = readConfig({});
  expect(shown.get('`PORT`')).toBe(`\`${port}\``);
  expect(shown.get('`PUBLIC_BASE_URL`')).toContain(`\`${publicBaseUrl}\``);
  expect(shown.get('`DASHBOARD`')).toBe(isDashboardServed ? '`on`' : '`off`');
  expect(shown.get('`LOG_LEVEL`')).toContain(`\`${logLevel}\``);
  expect(shown.get('`DELIVERY_BURST_THRESHOLD`')).toContain(`\`${deliveryBurstThreshold}\``);
});
