/**
 * The URL in a text, undefined when it is none. Not `URL.canParse`: on Node 20 its optimised form reads text as UTF-8 that is Latin-1,
 * so after some thousand calls it calls `https://bücher.example/` invalid.
 */
export function parseUrl(text: string): URL | undefined {
  try {
    return new URL(text);
  } catch {
    return undefined;
  }
}
