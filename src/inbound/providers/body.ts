import { scalarAt } from '../schemes/pointer.ts';
import { body as signature, signedBodyOf } from '../schemes/body.ts';
import type { Content, Incoming } from '../schemes/scheme.ts';
import { standardSecretProblem } from '../schemes/standard.ts';
import type { Provider } from './provider.ts';

/** The content of a proven request. The parts of the signature were found without reading the rest, which must be JSON as well. */
function contentOf(incoming: Incoming): Content {
  incoming.content();
  return incoming.read(signedBodyOf(incoming).payload);
}

/** Senders of one's own, without any library: the signature stands in the body. */
export const body: Provider = {
  name: 'body',
  title: 'Signature in the body',
  scheme: 'body',
  ...signature,
  secretProblem: standardSecretProblem,
  makesSecret: true,
  eventId: (incoming) => signedBodyOf(incoming).id,
  eventType: (incoming) => scalarAt(contentOf(incoming).text, '/eventType'),
  content: contentOf,
  payload: '/payload',
  sample: ({ id }) => ({ body: { eventType: 'order.created', payload: { id, total: 12.5, currency: 'EUR' } } }),
};
