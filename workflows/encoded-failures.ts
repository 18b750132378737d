import { DefaultFailureConverter } from '@temporalio/common';

/**
 * Moves messages and stack traces of failures into a payload, which the codec of TEMPORAL_CODEC_KEYS encrypts. Temporal
 * stores "Encoded failure" in their place. The SDK loads this by name, in the worker process and in the bundle of the
 * Temporal workflows.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
