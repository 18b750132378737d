import type { Context } from '../route/context.ts';

/** Cuts the answer of a reader that takes nothing from one beat to the next. */
export function cutWhenStalled(res: Context['res'], beatMs: number): void {
  if (res.closed) return;
  let before = '';
  const beat = setInterval(() => {
    // Bytes that were given to the connection, and those of them that it has not taken.
    const now = `${res.socket?.bytesWritten} ${res.writableLength}`;
    if (res.writableLength > 0 && now === before) res.destroy();
    before = now;
  }, beatMs);
  res.once('close', () => clearInterval(beat));
}
