/** The gRPC status codes that matter here. */
export const GRPC_STATUS = {
  cancelled: 1,
  unknown: 2,
  invalidArgument: 3,
  deadlineExceeded: 4,
  notFound: 5,
  alreadyExists: 6,
  permissionDenied: 7,
  aborted: 10,
  unimplemented: 12,
  internal: 13,
  unavailable: 14,
  unauthenticated: 16,
} as const;

const UNSETTLED: ReadonlySet<unknown> = new Set([
  GRPC_STATUS.cancelled,
  GRPC_STATUS.unknown,
  GRPC_STATUS.deadlineExceeded,
  GRPC_STATUS.aborted,
  GRPC_STATUS.internal,
  GRPC_STATUS.unavailable,
]);

/** The status code of a failed call to Temporal, which the SDK wraps; undefined for any other error. */
export const grpcStatusOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error
    ? error.code
    : error instanceof Error
      ? grpcStatusOf(error.cause)
      : undefined;

/** Whether a failed call may have been carried out anyway: there was no response, or none that reports the outcome. */
export const mayHaveArrived = (error: unknown): boolean => UNSETTLED.has(grpcStatusOf(error));
