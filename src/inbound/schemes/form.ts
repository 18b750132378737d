import { invalidField } from '../../kernel/errors.ts';

/** Names and values of a form, in their order. */
export type Form = readonly (readonly [name: string, value: string])[];

/** Fields of one form. Twilio and Slack, which send the longest forms, stay below 100. */
const MAX_FIELDS = 1_000;
const AMPERSAND = 0x26;
const PLUS = 0x2b;
const BLANK = 0x20;

/**
 * The fields of a form, of a caller who may not have proven anything yet. INVALID_REQUEST for more than 1,000 of them: their separators
 * are counted in the bytes, before any field is built.
 */
export function readForm(bytes: Buffer): Form {
  let fields = 1;
  for (let at = bytes.indexOf(AMPERSAND); at !== -1; at = bytes.indexOf(AMPERSAND, at + 1)) {
    fields += 1;
    if (fields > MAX_FIELDS) throw invalidField('body', `must have at most ${MAX_FIELDS} fields of a form`);
  }
  // 1 MiB of plus signs takes URLSearchParams 60 to 300 ms, and as many blanks a few.
  const spaced = Buffer.from(bytes);
  for (let at = 0; at < spaced.length; at += 1) if (spaced[at] === PLUS) spaced[at] = BLANK;
  return [...new URLSearchParams(spaced.toString('utf8'))];
}

/** The fields of a form as a JSON text: a name that stands there several times has a list. */
export function formText(fields: Form): string {
  const values = new Map<string, string[]>();
  for (const [name, value] of fields) {
    const given = values.get(name);
    if (given === undefined) values.set(name, [value]);
    else given.push(value);
  }
  const members = [...values].map(
    ([name, given]) => `${JSON.stringify(name)}:${JSON.stringify(given.length === 1 ? given[0] : given)}`,
  );
  return `{${members.join(',')}}`;
}
