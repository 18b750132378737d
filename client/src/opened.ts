import { toBytes } from './bytes.ts';
import type { Limit } from './limit.ts';

/** An answer whose body may still be on its way. */
export type Opened = {
  status: number;
  headers: Headers;
  /**
   * The next bytes of the body; undefined behind the last ones. Throws TimeoutError, ConnectionError or the reason of the caller's signal.
   */
  read(): Promise<Uint8Array | undefined>;
  /** From now on the answer may take so long, in ms; Infinity is for ever. */
  allow(timeoutMs: number): void;
  /** Lets the connection go. */
  close(): void;
};

/** The answer under the limit of its try. To cancel the reader closes the connection also where fetch has forgotten its signal. */
export function openedOf(response: Response, { allow, hold, close }: Limit): Opened {
  const { status, headers } = response;
  const reader = response.body?.getReader();
  let isRead = false;
  return {
    status,
    headers,
    async read() {
      if (reader !== undefined) return (await hold(reader.read())).value;
      if (isRead) return undefined;
      isRead = true;
      // An answer without a body, or a fetch that has no streams.
      return toBytes(await hold(response.text()));
    },
    allow,
    close() {
      close();
      reader?.cancel().catch(() => undefined);
    },
  };
}

/** The whole body as text. Closes the connection in any case. */
export async function readText(opened: Opened): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (let bytes = await opened.read(); bytes !== undefined; bytes = await opened.read())
      text += decoder.decode(bytes, { stream: true });
    return text + decoder.decode();
  } finally {
    opened.close();
  }
}
