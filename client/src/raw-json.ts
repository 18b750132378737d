/** Members of a text that stand for raw ones until it is written. */
class RawJson {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

/**
 * JSON that is sent as it is written, digit for digit: `{ payload: { amount: rawJson('12.50') } }`. Stands for a value of any kind,
 * anywhere in a body. Throws a SyntaxError for a text that is no JSON.
 */
export function rawJson(text: string): object {
  JSON.parse(text);
  return new RawJson(text);
}

/** A body as JSON. A text is taken for JSON already. */
export function writeBody(body: unknown): string {
  if (typeof body === 'string') return body;
  const texts: string[] = [];
  const mark = `raw-${globalThis.crypto.getRandomValues(new Uint32Array(4)).join('-')}-`;
  const written = JSON.stringify(body, (_name, value: unknown) =>
    value instanceof RawJson ? `${mark}${texts.push(value.text) - 1}` : value,
  );
  // Nobody can guess the mark, so no text of the caller's is taken for one.
  return texts.length === 0
    ? written
    : written.replaceAll(new RegExp(`"${mark}(\\d+)"`, 'g'), (_, index: string) => texts[Number(index)] ?? 'null');
}
