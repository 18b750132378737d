import { describe, expect, test } from '@jest/globals';
import {
  type AnswerClass,
  answerOf,
  classOfAnswer,
  COUNTED_CODES,
  isDelivered,
  LATENCY_BOUNDS_MS,
  LATENCY_CLASSES,
  INBOUND_CODES,
  NO_LATENCY,
  outcomeOf,
  quantileMs,
  RUN_CODES,
  faultMessage,
} from './outcomes.ts';
import { ERROR_CLASSES } from './statuses.ts';

const codeOf = (outcome: number): number => Math.floor(outcome / LATENCY_CLASSES);
const classOf = (outcome: number): number => outcome % LATENCY_CLASSES;

test('the stored numbers do not change', () => {
  expect(COUNTED_CODES).toEqual({ accepted: 0, deadLetter: -1 });
  expect(INBOUND_CODES).toEqual({ received: -7, repeated: -8, refused: -9 });
  expect(RUN_CODES).toEqual({ started: -2, completed: -3, failed: -4, cancelled: -5, skipped: -6 });
  expect(LATENCY_BOUNDS_MS).toEqual([
    1, 2, 3, 4, 6, 8, 11, 16, 23, 32, 45, 64, 91, 128, 181, 256, 362, 512, 724, 1024, 1448, 2048, 2896, 4096, 5793,
    8192, 11585, 16384, 23170, 32768,
  ]);
  expect([NO_LATENCY, LATENCY_CLASSES]).toEqual([63, 64]);
  expect(ERROR_CLASSES.map((errorClass) => [errorClass, codeOf(outcomeOf({ errorClass, response: null }))])).toEqual([
    ['dns', 1],
    ['connect', 2],
    ['tls', 3],
    ['timeout', 4],
    ['status', 5],
    ['blocked_address', 6],
    ['protocol', 7],
    ['crashed', 8],
    ['internal', 9],
  ]);
});

test.each<[string, Parameters<typeof outcomeOf>[0], number, number]>([
  ['a 200 after 1 ms', { errorClass: undefined, response: { status: 200, latencyMs: 1 } }, 200, 0],
  ['a 204 within the first millisecond', { errorClass: undefined, response: { status: 204, latencyMs: 0 } }, 204, 0],
  ['a 503 after 100 ms', { errorClass: 'status', response: { status: 503, latencyMs: 100 } }, 503, 13],
  ['an answer beyond every bound', { errorClass: 'status', response: { status: 599, latencyMs: 99_999 } }, 599, 30],
  ['an answer that breaks the protocol', { errorClass: 'protocol', response: { status: 200, latencyMs: 2 } }, 7, 1],
  ['a timeout', { errorClass: 'timeout', response: null }, 4, NO_LATENCY],
  ['no answer and no class', { errorClass: undefined, response: null }, 9, NO_LATENCY],
])('%s has a code and a class of latency', (_, made, code, latencyClass) => {
  const outcome = outcomeOf(made);
  expect([codeOf(outcome), classOf(outcome)]).toEqual([code, latencyClass]);
  expect(outcome).toBeLessThan(2 ** 16);
});

test('a code stands for a response or a failure', () => {
  expect(answerOf(503)).toEqual({ status: 503 });
  for (const errorClass of ERROR_CLASSES)
    expect(answerOf(codeOf(outcomeOf({ errorClass, response: null })))).toEqual({ errorClass });
  expect(() => answerOf(COUNTED_CODES.accepted)).toThrow('0 is not the code of a response');
});

test('a response has the class of its status, and a failure without a final response has none', () => {
  const codes = [
    200,
    299,
    300,
    399,
    400,
    499,
    500,
    599,
    999,
    101,
    codeOf(outcomeOf({ errorClass: 'dns', response: null })),
  ];
  expect(codes.map(classOfAnswer)).toEqual([
    'status2xx',
    'status2xx',
    'status3xx',
    'status3xx',
    'status4xx',
    'status4xx',
    'status5xx',
    'status5xx',
    'status5xx',
    'none',
    'none',
  ] satisfies AnswerClass[]);
});

test('only 2xx means delivered', () => {
  expect([199, 200, 299, 300, 503, 4].map(isDelivered)).toEqual([false, true, true, false, false, false]);
});

describe('quantileMs', () => {
  test('lies between the bounds of its class, according to its rank among the responses', () => {
    // 100 answers of 65 to 91 ms.
    const counts = new Map([[12, 100]]);
    expect([0.01, 0.5, 0.95, 1].map((q) => quantileMs(counts, q))).toEqual([64, 78, 90, 91]);
  });

  test('is that of the class that contains the rank, whatever the order of the map', () => {
    const counts = new Map([
      [26, 5],
      [0, 90],
      [12, 5],
    ]);
    expect(quantileMs(counts, 0.5)).toBe(1);
    expect(quantileMs(counts, 0.94)).toBe(86);
    expect(quantileMs(counts, 0.99)).toBe(10_906);
  });

  test('is the highest bound if responses are beyond it', () => {
    expect(quantileMs(new Map([[30, 2]]), 0.5)).toBe(32_768);
  });

  test('is absent without any response, and beyond everything that is counted', () => {
    expect(quantileMs(new Map([[NO_LATENCY, 8]]), 0.5)).toBeUndefined();
    expect(quantileMs(new Map(), 0.5)).toBeUndefined();
    expect(quantileMs(new Map([[3, 1]]), 1.5)).toBeUndefined();
  });
});

test.each([
  [
    'secret_unreadable',
    false,
    'no signing secret of the subscription can be decrypted, so nothing was sent; rotate its secret',
  ],
  ['internal', false, 'an internal error; nothing was sent'],
  ['internal', true, 'an internal error; a request may have been sent, but its result was not recorded'],
  ['secret_unreadable', true, 'an internal error; a request may have been sent, but its result was not recorded'],
] as const)(
  'a delivery held by %s, with a request that may have gone out: %s, says "%s"',
  (fault, mayHaveBeenSent, message) => {
    expect(faultMessage(fault, mayHaveBeenSent)).toBe(message);
  },
);
