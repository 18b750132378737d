import { ActivityFailure, ApplicationFailure } from '@temporalio/workflow';

/** Returns the type of the application failure that an activity threw; undefined for any other failure. */
export function failureType(failure: unknown): string | null | undefined {
  const root = failure instanceof ActivityFailure ? failure.cause : failure;
  return root instanceof ApplicationFailure ? root.type : undefined;
}
