import { expect, test } from '@jest/globals';
import { CATALOGUE } from '../../src/inbound/providers/catalogue.ts';
import { PROVIDER_STEPS } from '../src/lib/provider-steps.ts';
import { PROVIDERS } from '../src/lib/providers.ts';

test('the dashboard has the name and the setup steps of every provider, and asks for a secret if the provider generates one', () => {
  const known = Object.entries(CATALOGUE).map(([name, { title, makesSecret }]) => [
    name,
    [title, makesSecret !== true],
  ]);
  const shown = Object.entries(PROVIDER_STEPS).map(([name, { isShown }]) => [
    name,
    [Reflect.get(PROVIDERS, name), isShown],
  ]);
  expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(known));
});
