import { toBytes } from './bytes.ts';
import type { Limit } from './limit.ts';

/** A response whose body may still be arriving. */
export type Opened = {
  status: number;
  headers: Headers;
  /**
   * Returns the next bytes of the body; undefined at its end. Throws TimeoutError, ConnectionError or the reason of the
   * caller's signal.
   */
  read(): Promise<Uint8Array | undefined>;
  /** Sets the remaining time for the response in ms; Infinity for no limit. */
  allow(timeoutMs: number): void;
  /** Closes the connection. */
  close(): void;
};

/**
 * Wraps a response with the limit of its attempt. Cancelling the reader closes the connection even if fetch has lost
 * its signal.
 */
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
      // A response without a body, or a fetch without streams.
      return toBytes(await hold(response.text()));
    },
    allow,
    close() {
      close();
      reader?.cancel().catch(() => undefined);
    },
  };
}

/** Returns the whole body as text. Always closes the connection. */
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
