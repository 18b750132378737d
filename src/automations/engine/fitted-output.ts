import { type CutAnswer, isCut } from '../expressions/expressions.ts';
import { jsonText } from './json-text.ts';

// Beginnings of answers are for people and for simple searches. Four of 256 KiB would be all that a run may keep.
const TEXT_BYTES = 65_536;
// Kept even of a run that has no room left: its status and a message's id say that the step had its effect.
const LEAST_BYTES = 1_024;

/** The beginning of a text that is too long. `bytes`: the size of the whole, null where nobody said. */
export const cutOf = (text: string, bytes: number | null): CutAnswer => ({
  truncated: true,
  bytes,
  text: beginningOf(text, TEXT_BYTES),
});

/**
 * JSON of the output of a step that has had its effect: a step that failed for its length would be done again by a retry. One of more than
 * `room` bytes becomes `{…, truncated, bytes, text}`, where `text` is the beginning of its `body`; of all of it where there is none. So do
 * `headers` go that take too much of the room.
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

/** Members that stay beside the text of an answer, with its headers and without them. */
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

/** Undefined where there is no room for half of a short text beside the rest. */
function withText(rest: Rest, cut: CutAnswer, room: number): string | undefined {
  const free = room - Buffer.byteLength(jsonText({ ...rest, ...cut, text: '' }));
  if (free < LEAST_BYTES / 2) return undefined;
  let { text } = cut;
  // JSON writes some characters in six.
  for (let size = sizeOf(text); size > free; size = sizeOf(text))
    text = beginningOf(text, Math.floor((Buffer.byteLength(text) * free) / size) - 1);
  return jsonText({ ...rest, ...cut, text });
}

const sizeOf = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;

/** As many bytes of a text, without a character that would be cut. */
const beginningOf = (text: string, bytes: number): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(Buffer.from(text).subarray(0, Math.max(0, bytes)), {
    stream: true,
  });
