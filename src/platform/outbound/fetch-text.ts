import { Agent, request } from 'undici';
import type { AddressGuard } from './guard/address-guard.ts';
import { MAX_HEADER_BYTES } from './exchange/connections.ts';
import { createReadBound } from './exchange/read-bound.ts';
import { BODY_BOUNDS } from './exchange/response-content.ts';

/** DNS, TCP, TLS and the response together. A provider is waiting for our response meanwhile. */
const TIMEOUT_MS = 5_000;

/** Rejection for an address that responded with a status other than 200. */
export class AddressAnswered extends Error {
  override readonly name = 'AddressAnswered';
  readonly status: number;
  constructor(status: number) {
    super(`The address responded with status ${status}`);
    this.status = status;
  }
}

/** Fetches an https address and resolves with its text, up to 64 KiB. Rejects on anything but a complete response with status 200. */
export type FetchText = (url: string) => Promise<string>;

/**
 * Fetches small public texts: certificates, and addresses that confirm a subscription. All rules of the guard apply, redirects are not
 * followed, nothing is decoded, and no connection is kept, since there is at most one an hour. The response is not verified here.
 */
export const createFetchText =
  ({ guard, version }: { guard: Pick<AddressGuard, 'readTarget' | 'connect'>; version: string }): FetchText =>
  async (url) => {
    const target = guard.readTarget(url);
    if ('problem' in target) throw new Error(`The address ${target.problem}`);
    if (!target.origin.startsWith('https:')) throw new Error('The address must begin with https');
    const bound = createReadBound(guard.connect, MAX_HEADER_BYTES);
    bound.expect(BODY_BOUNDS.read);
    const agent = new Agent({
      connect: bound.connect,
      maxHeaderSize: MAX_HEADER_BYTES,
      maxResponseSize: BODY_BOUNDS.read,
    });
    try {
      const { statusCode, body } = await request(`${target.origin}${target.path}`, {
        dispatcher: agent,
        headers: { 'user-agent': `posthorn/${version}`, 'accept-encoding': 'identity' },
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      const text = await body.text();
      if (statusCode !== 200) throw new AddressAnswered(statusCode);
      return text;
    } finally {
      await agent.destroy();
    }
  };
