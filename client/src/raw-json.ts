/** A placeholder for JSON text inside a body until the body is written. */
class RawJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/**
 * JSON that is sent exactly as written, digit for digit: `{ payload: { amount: rawJson('12.50') } }`. Can be used for
 * any value in a body. Throws a SyntaxError if the text is not valid JSON.
 */
export function rawJson(text: string): object {
  JSON.parse(text);
  return new RawJson(text);
}

/** Writes a body as JSON. A string is already JSON. */
export function writeBody(body: unknown): string {
  if (typeof body === 'string') return body;
  const texts: string[] = [];
  const mark = `raw-${globalThis.crypto.getRandomValues(new Uint32Array(4)).join('-')}-`;
  const written = JSON.stringify(body, (_name, value: unknown) =>
    value instanceof RawJson ? `${mark}${texts.push(value.text) - 1}` : value,
  );
  // The mark is random, so no text of the caller can be mistaken for one.
  return texts.length === 0
    ? written
    : written.replaceAll(new RegExp(`"${mark}(\\d+)"`, 'g'), (_, index: string) => texts[Number(index)] ?? 'null');
}
