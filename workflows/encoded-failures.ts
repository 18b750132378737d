import { DefaultFailureConverter } from '@temporalio/common';

/**
 * Writes messages and stacks of failures into a payload, which the codec of TEMPORAL_CODEC_KEYS encrypts. Temporal keeps "Encoded
 * failure" instead of them. The SDK loads it by this name, in the process of a worker and in the bundle of the Temporal workflows.
 */
export const failureConverter = new DefaultFailureConverter({ encodeCommonAttributes: true });
