/** The words of a language for a duration, and the sign before its decimals. Units of SI, such as ms and KiB, are the same in all. */
type Units = { point: string; day: string };

/** Such as `820 ms`, `4.2 s`, `3 min 5 s`, `1 d 3 h`: the two largest units. */
export function durationText(ms: number, { point, day }: Units): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${String(Number((ms / 1_000).toFixed(1))).replace('.', point)} s`;
  const seconds = Math.round(ms / 1_000);
  const [days, hours, minutes] = [
    Math.floor(seconds / 86_400),
    Math.floor(seconds / 3_600) % 24,
    Math.floor(seconds / 60) % 60,
  ];
  const parts = [
    [days, day],
    [hours, 'h'],
    [minutes, 'min'],
    [seconds % 60, 's'],
  ] as const;
  const first = parts.findIndex(([count]) => count > 0);
  return parts
    .slice(first, first + 2)
    .filter(([count]) => count > 0)
    .map(([count, unit]) => `${count} ${unit}`)
    .join(' ');
}

/** Such as `812 B`, `4.1 KiB`. */
export function bytesText(bytes: number, { point }: Units): string {
  if (bytes < 1_024) return `${bytes} B`;
  const [size, unit] = bytes < 1_048_576 ? [bytes / 1_024, 'KiB'] : [bytes / 1_048_576, 'MiB'];
  return `${size.toFixed(1).replace('.', point)} ${unit}`;
}
