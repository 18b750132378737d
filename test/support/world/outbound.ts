import { createAddressGuard } from '../../../src/platform/outbound/guard/address-guard.ts';
import { createOwnAddresses } from '../../../src/platform/outbound/guard/own-addresses.ts';
import {
  createWebhookSender,
  type WebhookRequest,
  type WebhookSender,
  type WebhookSenderOptions,
} from '../../../src/platform/outbound/post-webhook.ts';
import { type RawReceiver, startAnswering } from './raw-receiver.ts';

/** Lets requests through to receivers on loopback. */
export const loopbackGuard = createAddressGuard({
  allowCidrs: ['127.0.0.0/8', '::1/128'],
  allowHttp: true,
  own: createOwnAddresses([]),
});

export const OK_ANSWER = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok';

export const webhookRequest = (url: string, change: Partial<WebhookRequest> = {}): WebhookRequest => ({
  url,
  headers: { 'content-type': 'application/json' },
  body: Buffer.from('{"n":1}'),
  // No machine stalls for so long: a test of a timeout sets its own.
  timeoutMs: 30_000,
  ...change,
});

/** The senders and raw receivers of one test. */
export type Outbound = {
  /** Answers 200 unless told otherwise. */
  startReceiver(starting?: Promise<RawReceiver>): Promise<RawReceiver>;
  createSender(options?: Partial<WebhookSenderOptions>): WebhookSender;
  /** Ends all of them, the last one first. */
  end(): Promise<void>;
};

export function createOutbound(): Outbound {
  const cleanUp: (() => Promise<void>)[] = [];
  return {
    async startReceiver(starting = startAnswering(OK_ANSWER)) {
      const receiver = await starting;
      cleanUp.push(() => receiver.stop());
      return receiver;
    },
    createSender(options = {}) {
      const sender = createWebhookSender({ guard: loopbackGuard, version: '1.2.3', ...options });
      cleanUp.push(() => sender.close());
      return sender;
    },
    async end() {
      for (const end of cleanUp.splice(0).reverse()) await end();
    },
  };
}
