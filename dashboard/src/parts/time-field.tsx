import { type ComponentProps, useContext } from 'react';
import { useTexts } from '../lib/texts.ts';
import { useTimes, useZoneName, ZoneContext } from '../lib/times.ts';
import { isAtClockChange, timeOfText } from '../lib/zone-times.ts';
import { TextField } from './field.tsx';

type Given = Omit<ComponentProps<typeof TextField>, 'type' | 'step' | 'lines' | 'isCode'>;

/** A time to the second, written in the zone of the reader, whose name it says as it is at that time. */
export function TimeField({ label, hint, ...given }: Given) {
  const t = useTexts();
  const times = useTimes();
  const zone = useContext(ZoneContext);
  const at = timeOfText(given.value, zone);
  const zoneName = useZoneName(at);
  const isUnclear = at !== undefined && isAtClockChange(given.value, at, zone);
  return (
    <TextField
      {...given}
      label={`${label} (${zoneName})`}
      type="datetime-local"
      step={1}
      hint={
        isUnclear ? (
          <>
            {hint} <strong>{t.more.clockChange(times.full(at))}</strong>
          </>
        ) : (
          hint
        )
      }
    />
  );
}

/** The time that such a field has, as the API takes it. Undefined while no whole time stands there. */
export function useTimeOf(): (text: string) => string | undefined {
  const zone = useContext(ZoneContext);
  return (text) => timeOfText(text, zone);
}
