import { hmac, pairs } from '../schemes/hmac.ts';
import { header, type Provider } from './provider.ts';

/** With the setting that signs requests; its plain token is the scheme `token` with the header X-Buildkite-Token. */
export const buildkite: Provider = {
  name: 'buildkite',
  title: 'Buildkite',
  scheme: 'hmac',
  ...hmac({
    header: 'x-buildkite-signature',
    form: pairs({ time: 'timestamp', signature: 'signature' }),
    signed: ({ bytes }, timestamp) => [`${timestamp}.`, bytes],
  }),
  eventType: header('x-buildkite-event'),
  sample: ({ id }) => ({
    headers: { 'X-Buildkite-Event': 'build.finished' },
    body: {
      event: 'build.finished',
      build: { id, number: 27, state: 'passed', branch: 'main', message: 'Sort the list' },
      pipeline: { name: 'shop', slug: 'shop' },
    },
  }),
};
