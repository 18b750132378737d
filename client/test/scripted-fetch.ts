export type Sent = { method: string; url: string; headers: Headers; body: string | undefined };
type Step = (sent: Sent, signal: AbortSignal | undefined) => Response | Promise<Response>;

/** A fetch that answers with these steps, one for each request, and remembers what was sent. The last step is repeated. */
export function scriptFetch(...steps: [Step, ...Step[]]): { fetch: typeof fetch; sent: Sent[] } {
  const sent: Sent[] = [];
  return {
    sent,
    fetch: async (input, init) => {
      const body = typeof init?.body === 'string' ? init.body : undefined;
      const one = {
        method: init?.method ?? 'GET',
        url: new Request(input).url,
        headers: new Headers(init?.headers),
        body,
      };
      sent.push(one);
      const step = steps[Math.min(sent.length, steps.length) - 1];
      if (step === undefined) throw new Error('There is no step');
      return step(one, init?.signal ?? undefined);
    },
  };
}

export const json =
  (status: number, body: unknown, headers: Record<string, string> = {}): Step =>
  () =>
    new Response(status === 204 ? null : JSON.stringify(body), { status, headers });

export const refuse = (
  status: number,
  code: string,
  { details, ...headers }: { details?: object; [name: string]: unknown } = {},
): Step =>
  // `as`: all but the details are headers.
  json(status, { error: { code, message: 'no', ...(details && { details }) } }, headers as Record<string, string>);

export const breakOff: Step = () => Promise.reject(new TypeError('fetch failed'));

/** Never answers; ends with its signal, as fetch does. */
export const hang: Step = (_sent, signal) =>
  new Promise((_resolve, reject) => {
    signal?.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')));
  });
