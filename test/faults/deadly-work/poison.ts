// Loaded by `NODE_OPTIONS=--import` into the service processes of a drill. Work with one of these marks ends the process in the middle of
// its evaluation, as the kernel ends one that has no memory left: the product knows nothing of the marks.
import crypto, { type Hmac } from 'node:crypto';

Error.stackTraceLimit = 60;

const die = (): boolean => process.kill(process.pid, 'SIGKILL');
const POISONS = [
  { mark: 'poison-run', within: 'engine/take-step' },
  { mark: 'poison-schedule', within: 'schedules/sync' },
  { mark: 'poison-inbound', within: 'inbound/receive' },
];

const parse: (...given: Parameters<typeof JSON.parse>) => unknown = JSON.parse;
JSON.parse = (text, reviver) => {
  if (String(text).includes('poison-')) {
    const { stack = '' } = new Error('where');
    if (POISONS.some(({ mark, within }) => text.includes(mark) && stack.includes(within))) die();
  }
  return parse(text, reviver);
};

// `as`: the prototype of every HMAC.
const hmac = Object.getPrototypeOf(crypto.createHmac('sha256', 'key')) as Hmac;
const update: (this: Hmac, data: string | Buffer) => Hmac = hmac.update;
hmac.update = function updatePoisoned(this: Hmac, data: string | Buffer): Hmac {
  if (data.includes('poison-delivery')) die();
  return update.call(this, data);
};
