import { Agent, request } from 'undici';
import type { AddressGuard } from './guard/address-guard.ts';
import { MAX_HEADER_BYTES } from './exchange/connections.ts';
import { createReadBound } from './exchange/read-bound.ts';
import { BODY_BOUNDS } from './exchange/response-content.ts';

/** A provider waits for its answer meanwhile. DNS, TCP, TLS and the answer together. */
const TIMEOUT_MS = 5_000;

/** Rejection for an address that was reached and has answered with another status than 200. */
export class AddressAnswered extends Error {
  override readonly name = 'AddressAnswered';
  readonly status: number;
  constructor(status: number) {
    super(`The address answered ${status}`);
    this.status = status;
  }
}

/** Gets an https address and resolves with its text, 64 KiB at most. Rejects on anything but a whole answer with 200. */
export type FetchText = (url: string) => Promise<string>;

/**
 * Gets small public texts: certificates, and addresses that confirm a subscription. Every rule of the guard holds, redirects are not
 * followed, nothing is decoded, and no connection is kept: one an hour is made at most. Nothing of the answer is trusted by this.
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
