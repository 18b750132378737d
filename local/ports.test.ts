import { expect, test } from '@jest/globals';
import { whilePortsAreTaken } from './ports.ts';

const TAKEN =
  'Temporal ended (exit code 1) while starting. Its last lines: listen tcp 127.0.0.1:7233: bind: address already in use';

async function starts(failures: string[]): Promise<{ count: number; lines: number; outcome: string }> {
  let [count, lines] = [0, 0];
  const start = async (): Promise<string> => {
    const failure = failures[count];
    count += 1;
    if (failure !== undefined) throw new Error(failure);
    return 'started';
  };
  const outcome = await whilePortsAreTaken(start, () => {
    lines += 1;
  }).catch((failure: unknown) => String(failure));
  return { count, lines, outcome };
}

test('restarts a server whose port was taken before it could use it, and says so', async () => {
  expect(await starts([TAKEN])).toEqual({ count: 2, lines: 1, outcome: 'started' });
  expect(await starts([TAKEN, 'FATAL: could not bind: Address already in use'])).toMatchObject({ outcome: 'started' });
});

test('tries up to three times, and only for this failure', async () => {
  expect(await starts([TAKEN, TAKEN, TAKEN])).toEqual({ count: 3, lines: 2, outcome: `Error: ${TAKEN}` });
  expect(await starts(['no disk'])).toEqual({ count: 1, lines: 0, outcome: 'Error: no disk' });
});
