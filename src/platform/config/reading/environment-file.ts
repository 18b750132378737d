import { parseEnv } from 'node:util';

const UTF_8_MARK = '\uFEFF';

/**
 * The variables of a file `.env`. Editors on Windows begin such a file with a byte order mark, which would become part of the first
 * name. Undefined for a file that is not UTF-8: what is in it would be read as something else.
 */
export function parseEnvironmentFile(bytes: Buffer): Record<string, string> | undefined {
  try {
    // `ignoreBOM: true` keeps the mark; it is taken off below, once, wherever the decoder stands on that.
    const text = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
    if (text.includes('\0')) return undefined;
    const variables = parseEnv(text.startsWith(UTF_8_MARK) ? text.slice(1) : text);
    return Object.fromEntries(
      Object.entries(variables).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
  } catch {
    return undefined;
  }
}
