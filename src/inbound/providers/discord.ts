import { ed25519KeyProblem, publicKey } from '../schemes/public-key.ts';
import { at, first, type Provider } from './provider.ts';

const PING = 1;

/** Interactions. Discord sends bad signatures on purpose, and drops an address that does not answer them with 401. */
export const discord: Provider = {
  name: 'discord',
  title: 'Discord',
  scheme: 'ed25519',
  check: publicKey({ kind: 'ed25519', header: 'x-signature-ed25519', timestampHeader: 'x-signature-timestamp' }),
  secretProblem: ed25519KeyProblem,
  eventId: at('/id'),
  eventType: first(at('/data/name'), at('/data/custom_id'), at('/type')),
  handshake: (incoming) => (incoming.content().value['type'] === PING ? { answer: { type: PING } } : undefined),
  refusesWith: 'UNAUTHORIZED',
};
