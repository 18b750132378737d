/** Where a process of the service answers, and a key of its caller. Both may change while a test goes on. */
type Spoken = () => { url: string; key: string };

type SeenAnswer<T> = { status: number; headers: Headers; body: T };

/** Requests to a process of the service by HTTP, whose answers are JSON. Their caller says what the endpoint answers. */
export function requestsTo(spoken: Spoken): {
  request<T>(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<SeenAnswer<T>>;
} {
  return {
    async request<T>(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
      const { url, key } = spoken();
      const response = await fetch(url + path, {
        method,
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      // `as`: the caller says what this endpoint answers.
      return { status: response.status, headers: response.headers, body: (await response.json()) as T };
    },
  };
}

/** Posts to a process of the service, and gives the resource that was made. */
export function makesAt(
  spoken: Spoken,
): (path: string, body: unknown, headers?: Record<string, string>) => Promise<{ id: string }> {
  const { request } = requestsTo(spoken);
  return async (path, body, headers) => {
    const answer = await request<{ id: string }>('POST', path, body, headers);
    if (answer.status >= 300) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  };
}
