import { UNPROVEN } from '../../../platform/slices.ts';
import type { Caller } from '../../caller/caller.ts';

/** Whose turn costly work of a request takes. All who are not known share one: none of them has a reason to cause much. */
export const turnOwnerOf = (caller: Caller | undefined): string =>
  caller === undefined ? UNPROVEN : caller.level === 'environment' ? caller.environmentId : caller.principal.id;
