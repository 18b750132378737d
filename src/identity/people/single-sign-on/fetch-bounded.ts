import type { CustomFetch } from 'openid-client';

/** Documents and tokens have some kilobytes; sets of keys may have a hundred. */
const MOST_BYTES = 1_048_576;

/** The provider did not answer in time, or cannot just now. */
export class UnansweredError extends Error {}

/** `fetch`, whose answer has at most a megabyte. Rejects for a longer one, and with UnansweredError for one that does not come. */
export const fetchBounded: CustomFetch = async (url, options) => {
  // `as`: the library's own type of a body is that of fetch, written once more.
  const response = await fetch(url, options as RequestInit).catch((cause: unknown) => {
    throw new UnansweredError(`${new URL(url).origin} does not answer`, { cause });
  });
  if (response.status >= 500) throw new UnansweredError(`${new URL(url).origin} answers ${response.status}`);
  const chunks: Uint8Array[] = [];
  let size = 0;
  // `as`: Node's stream of a body yields bytes; its type says nothing of that.
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > MOST_BYTES) throw new Error(`The answer of ${new URL(url).origin} has more than ${MOST_BYTES} bytes`);
    chunks.push(chunk);
  }
  const { status, headers } = response;
  const hasBody = ![204, 205, 304].includes(status);
  return new Response(hasBody ? Buffer.concat(chunks) : null, { status, headers });
};
