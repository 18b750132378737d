import { z } from 'zod';

/** A setting that is on or off. */
export const flagSetting = z
  .enum(['true', 'false', '1', '0'], 'must be true or false')
  .transform((value) => value === 'true' || value === '1');
