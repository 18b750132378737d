import { withValue } from './json-edit.ts';
import { memberText } from './raw-json.ts';

/**
 * Returns the input of a step. Only the service knows where its secrets are; the values show `[secret NAME]` there.
 * `text`: the step.
 */
export function inputOf(text: string): string | undefined {
  const input = memberText(text, 'input');
  const secrets = input?.startsWith('{') === true ? memberText(input, 'secrets') : undefined;
  return input === undefined || secrets === undefined || !/^\[\s*\{\s*"field"/.test(secrets)
    ? input
    : withValue(input, ['secrets'], undefined);
}
