import { RENEWAL } from '../belief/belief.ts';
import type { Scheme } from '../../../api/caller.ts';
import type { ApiKeys } from './service.ts';

/** API keys as bearer tokens (RFC 6750 §2.1). A key is its own proof, so nothing is left for the body. */
export const apiKeyScheme = ({ authenticate }: Pick<ApiKeys, 'authenticate'>): Scheme => ({
  async identify(head) {
    const given = head.header('authorization');
    const addressOf = (): string => head.address;
    const key = given.length === 1 ? /^Bearer +([\x21-\x7e]+)$/i.exec(given[0] ?? '')?.[1] : undefined;
    const caller = key === undefined ? undefined : await authenticate(key, { addressOf });
    if (key === undefined || caller === undefined) return undefined;
    return {
      caller,
      isSession: false,
      async renew() {
        const now = await authenticate(key, { asked: RENEWAL, addressOf });
        return now && { caller: now };
      },
    };
  },
});
