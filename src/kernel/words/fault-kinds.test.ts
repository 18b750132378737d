import { expect, test } from '@jest/globals';
import { faultMessage } from './fault-kinds.ts';

test.each([
  [
    'secret_unreadable',
    false,
    'no signing secret of the subscription can be opened, so nothing was sent; rotate its secret',
  ],
  ['internal', false, 'a fault of the service; nothing was sent'],
  ['internal', true, 'a fault of the service; a request may have been sent of whose result there is no record'],
  [
    'secret_unreadable',
    true,
    'a fault of the service; a request may have been sent of whose result there is no record',
  ],
] as const)(
  'a delivery held by %s, with a request that may have gone out: %s, says "%s"',
  (fault, mayHaveBeenSent, message) => {
    expect(faultMessage(fault, mayHaveBeenSent)).toBe(message);
  },
);
