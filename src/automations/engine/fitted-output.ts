import { type CutAnswer, isCut } from '../expressions/expressions.ts';
import { jsonText } from './json-text.ts';

// Beginnings of responses are for people and for simple searches. Four of 256 KiB would use up all outputs of a run.
const TEXT_BYTES = 65_536;
// Kept even if the run has no space left: a status or message id shows that the step had its effect.
const LEAST_BYTES = 1_024;

/** Returns the beginning of a text that is too long. `bytes`: size of the whole text, null if unknown. */
export const cutOf = (text: string, bytes: number | null): CutAnswer => ({
  truncated: true,
  bytes,
  text: beginningOf(text, TEXT_BYTES),
});

/**
 * Returns the JSON of the output of a step that has had its effect. It must not fail because of its size, since a retry
 * would repeat the effect. An output of more than `room` bytes becomes `{…, truncated, bytes, text}`, where `text` is
 * the beginning of its `body`, or of the whole output if it has none. `headers` are dropped if they take too much
 * space.
 */
export function fittedOutput(output: unknown, room: number): string {
  const text = jsonText(output);
  const most = Math.max(room, LEAST_BYTES);
  const bytes = Buffer.byteLength(text);
  if (bytes <= most) return text;
  for (const [rest, cut] of shorterForms(output)) {
    const fitted = withText(rest, cut, most);
    if (fitted !== undefined) return fitted;
  }
  return withText({}, cutOf(text, bytes), most) ?? 'null';
}

type Rest = Readonly<Record<string, unknown>>;

/** Returns the members to keep next to the cut text of a response, with its headers and without. */
function shorterForms(output: unknown): [rest: Rest, cut: CutAnswer][] {
  if (typeof output !== 'object' || output === null || Array.isArray(output) || output instanceof Map) return [];
  const { body, headers, ...rest } = output as Rest;
  if (isCut(rest)) {
    const { truncated: _, bytes, text, ...others } = rest;
    const cut = cutOf(text, bytes);
    return [
      [{ ...others, headers }, cut],
      [others, cut],
    ];
  }
  if (body === undefined) return [];
  const text = typeof body === 'string' ? body : jsonText(body);
  const cut = cutOf(text, Buffer.byteLength(text));
  return [
    [{ ...rest, headers }, cut],
    [rest, cut],
  ];
}

/** Returns undefined if there is no space for at least half of a short text. */
function withText(rest: Rest, cut: CutAnswer, room: number): string | undefined {
  const free = room - Buffer.byteLength(jsonText({ ...rest, ...cut, text: '' }));
  if (free < LEAST_BYTES / 2) return undefined;
  let { text } = cut;
  // JSON can need six characters for one.
  for (let size = sizeOf(text); size > free; size = sizeOf(text))
    text = beginningOf(text, Math.floor((Buffer.byteLength(text) * free) / size) - 1);
  return jsonText({ ...rest, ...cut, text });
}

const sizeOf = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;

/** Returns the first bytes of a text without splitting a character. */
const beginningOf = (text: string, bytes: number): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.from(text).subarray(0, Math.max(0, bytes)), {
    stream: true,
  });
