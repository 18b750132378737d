import { TextField } from '../ui/field.tsx';

/** Interprets what the user typed as the second factor: six digits are a code, anything else is a recovery code. */
export function givenCode(text: string): { code: string } | { recoveryCode: string } {
  const given = text.replaceAll(/\s/g, '');
  return /^\d{6}$/.test(given) ? { code: given } : { recoveryCode: given };
}

/** The field for a code of two-factor authentication. */
export function CodeField({
  means,
  value,
  onChange,
}: {
  means: readonly string[];
  value: string;
  onChange: (value: string) => void;
}) {
  return (
    <TextField
      label="Code"
      hint={means.includes('code') ? 'Enter the 6-digit code, or a recovery code' : 'Enter one of your recovery codes'}
      autoComplete="one-time-code"
      value={value}
      onChange={onChange}
      isMono
      isRequired
      hasFocus
    />
  );
}
