import type { ComponentProps } from 'react';
import { useZoneName } from '../lib/times.ts';
import { isAtClockChange, timeOfText } from '../lib/zone-times.ts';
import { TextField } from '../ui/field.tsx';
import { exactText } from '../lib/format.ts';
import { useZone } from './moment.tsx';

type Given = Omit<ComponentProps<typeof TextField>, 'type' | 'step' | 'isMono'>;

/**
 * A time field, to the second, in the user's time zone. In an hour in which clocks change, it says which time is meant.
 */
export function MomentField({ label, hint, ...given }: Given) {
  const zone = useZone();
  const at = timeOfText(given.value, zone);
  const zoneName = useZoneName(at);
  const isUnclear = at !== undefined && isAtClockChange(given.value, at, zone);
  return (
    <TextField
      {...given}
      label={`${label} (${zoneName})`}
      type="datetime-local"
      step={1}
      hint={isUnclear ? `Clocks change around this time. This means ${exactText(at, zone)}.` : hint}
    />
  );
}

/** Returns the time in such a field as the API accepts it, or undefined while it is incomplete. */
export function useMomentOf(): (text: string) => string | undefined {
  const zone = useZone();
  return (text) => timeOfText(text, zone);
}
