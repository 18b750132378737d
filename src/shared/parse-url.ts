/**
 * The URL that a text is, undefined when it is none. Not `URL.canParse`: on Node 20 its optimised form reads text as UTF-8 that is
 * Latin-1, so that after some thousand calls it calls `https://bücher.example/` invalid.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
