import type { Channel } from '../../api/client.ts';
import { counted } from '../../lib/words.ts';
import type { Tone } from '../../ui/status.tsx';

export const CHANNEL_STATES: Readonly<Record<Channel['status'], { tone: Tone; word: string }>> = {
  active: { tone: 'delivered', word: 'Active' },
  paused: { tone: 'held', word: 'Paused' },
  archived: { tone: 'cancelled', word: 'Archived' },
};

export const MODES = { enforce: 'Reject', warn: 'Accept with warning' } as const satisfies Readonly<
  Record<NonNullable<Channel['schemaMode']>, string>
>;

/** What happens to an invalid payload. Rows of lists contain the mode of the schemas, but not the schemas. */
export function invalidPayloads({ schema, schemas, schemaMode }: Channel): string {
  const isEmpty = schema === undefined && schemas !== undefined && Object.keys(schemas).length === 0;
  return schemaMode === undefined || isEmpty ? 'No schema' : MODES[schemaMode];
}

export const schemaCount = ({ schema, schemas = {} }: Channel): number =>
  (schema === undefined ? 0 : 1) + Object.keys(schemas).length;

export const daysText = (days: number): string => counted(days, 'day');

/** Returns a rate in the largest unit of time in which it is at least one: `12/min`. */
export function rateText(perHour: number): string {
  const shown = (rate: number): string =>
    (rate < 10 ? Number(rate.toFixed(1)) : Math.round(rate)).toLocaleString('en-US');
  if (perHour >= 3_600) return `${shown(perHour / 3_600)}/s`;
  if (perHour >= 60) return `${shown(perHour / 60)}/min`;
  return `${Math.ceil(perHour)}/h`;
}
